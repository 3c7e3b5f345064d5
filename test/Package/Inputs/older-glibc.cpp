// Uses what cmake/glibc-2.28.c stands in for, and prints what comes of it.
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>
#include <vector>

// Constructors run before main, with what main gets, and destructors after it.
static int argumentsOfConstructor = 0;
__attribute__((constructor)) static void construct(int argc, char **, char **) {
  argumentsOfConstructor = argc;
}

struct Global {
  Global() { std::puts("constructed"); }
  ~Global() { std::puts("destroyed"); }
} global;

static void throwAcross(int depth) {
  if (depth == 0)
    throw std::runtime_error("thrown");
  throwAcross(depth - 1);
}

static void exceptions() {
  try {
    throwAcross(10);
  } catch (const std::exception &error) {
    std::printf("caught: %s\n", error.what());
  }
  int caught = 0;
  std::thread thread([&] {
    try {
      throw 5;
    } catch (int value) {
      caught = value;
    }
  });
  thread.join();
  std::printf("in a thread: %d\n", caught);
}

static void waits() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock<std::mutex> lock(mutex);
  for (int milliseconds : {0, 1, 250}) {
    auto start = std::chrono::steady_clock::now();
    auto result = condition.wait_for(lock, std::chrono::milliseconds(milliseconds));
    auto time = std::chrono::steady_clock::now() - start;
    std::printf("wait: %s, %s\n", result == std::cv_status::timeout ? "timeout" : "woken",
                time >= std::chrono::milliseconds(milliseconds) ? "long enough" : "too short");
  }
}

static void files(const char *program) {
  struct stat status;
  int result = stat(program, &status);
  std::printf("stat: %d, %s\n", result, status.st_size > 1000 ? "large" : "small");
  result = stat("/nonexistent", &status);
  std::printf("stat of nothing: %d, %s\n", result, std::strerror(errno));
  result = lstat("/proc/self/exe", &status);
  std::printf("lstat: %d, %s\n", result, S_ISLNK(status.st_mode) ? "link" : "no link");
  result = fstat(0, &status);
  std::printf("fstat: %d, %s\n", result, S_ISREG(status.st_mode) ? "file" : "no file");
  errno = 0;
  result = mknod("/nonexistent/file", S_IFREG | 0600, 0);
  std::printf("mknod: %d, %s\n", result, std::strerror(errno));
}

int main(int argc, char **argv) {
  std::printf("constructor: %d\n", argumentsOfConstructor == argc);
  exceptions();
  waits();
  files(argv[0]);
  double x = argc;
  std::printf("math: %.15g %.15g %.15g %.15g %.15g %.15g\n", std::exp(x), std::exp2(x),
              std::log(x + 1), std::log2(x + 2), std::pow(x + 1, 0.5), std::hypot(x, 1));
  std::random_device random;
  std::set<unsigned> numbers;
  for (int i = 0; i < 100; ++i)
    numbers.insert(random());
  std::printf("random numbers: %s\n", numbers.size() > 90 ? "differ" : "repeat");
  std::vector<char> block(100000, argc);
  std::printf("memory: %d, %d\n", mallinfo2().uordblks >= block.size(), block[argc]);
  Dl_info info;
  void *library = dlopen("libc.so.6", RTLD_NOW);
  std::printf("libraries: %d %d %d\n", library != nullptr, dlsym(library, "printf") != nullptr,
              dladdr(dlsym(library, "printf"), &info) != 0);
  library = dlopen("/nonexistent.so", RTLD_NOW);
  std::printf("no library: %d, %s\n", library == nullptr, dlerror() ? "message" : "none");
}
