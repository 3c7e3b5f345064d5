// Rows as the compiler's sources have them. The fifth is for functions at compile time only.

#define BOTH(name, type)                                                                           \
  ROW(name "_rn", convert<type>), ROW(name "_rd", convert<type>)
#define ROW(name, function) {name, "arg0", function, 0, Space::Device}

static Rows unsupported() { return unsupportedRows("fourth "
                                                   "sixth",
                                                   0, Space::Language); }

static Rows builtins() {
  static constexpr Builtin rows[] = {
      ROW("first", absolute),
      BOTH("second", FP32),
      {"third", "major, minor=0", capability, 0,
       Space::Target},
      {"fifth", "x", hostAbs, Hidden, Space::Python},
  };
  return rows;
}
