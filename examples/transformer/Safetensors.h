//===- Safetensors.h - Tensors in a file of that format ------------*- C++ -*-===//
//
// A file is the size of the header (8 bytes), the header (JSON: type, shape and place of each
// tensor by its name), and the elements. Files may come from anywhere, so all of it is checked.
//
// Functions that return a text return what is wrong, with the file's name, or nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TRANSFORMER_SAFETENSORS_H
#define TRANSFORMER_SAFETENSORS_H

#include "tilec/float16.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

class SafetensorsFile {
public:
  struct Tensor {
    /// As the format calls it: BF16, F32, ..
    std::string type;
    std::vector<int64_t> shape;
    /// Where it is among the elements.
    int64_t begin = 0, end = 0;
  };

  /// Reads and checks the header.
  std::string open(const std::string &path);
  /// Null if there is none of this name.
  const Tensor *find(const std::string &name) const;
  /// Appends a tensor, which must have `shape` and a type of floats, as bfloat16.
  std::string read(const std::string &name, const std::vector<int64_t> &shape,
                   std::vector<tilec::BFloat16> &elements);

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  std::string fail(std::string message) const;
  std::string readHeader(int64_t size);
  std::string checkPlaces(int64_t size) const;
  std::string readBytes(const std::string &name, const Tensor &tensor, std::vector<char> &bytes);

  std::string fileName;
  std::unique_ptr<std::FILE, Close> file;
  std::map<std::string, Tensor> tensors;
  /// Where the elements begin in the file.
  int64_t elementsAt = 0;
};

#endif // TRANSFORMER_SAFETENSORS_H
