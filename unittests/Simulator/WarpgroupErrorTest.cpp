#include "WarpgroupTest.h"
