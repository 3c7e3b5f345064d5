from .point import Point
from .utils import *
from ..ops.utils import scale_by
