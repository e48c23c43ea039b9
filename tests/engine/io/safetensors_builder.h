#pragma once

#include <QFile>
#include <filesystem>
#include <string>

namespace quire::test {

/// A safetensors file: the header's length, the header, and `data_bytes` of zeros.
inline std::string safetensors_file(const std::string& header, size_t data_bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i));
  return file + header + std::string(data_bytes, '\0');
}

/// A JSON object of these members.
inline std::string object(const std::string& members) {
  std::string text = "{";
  text += members;
  text += '}';
  return text;
}

/// "name": {...} of a header.
inline std::string entry(const char* name, const char* dtype, const char* shape,
                         const char* offsets) {
  return std::string("\"") + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  QFile file(QString::fromStdString(path.string()));
  if (!file.open(QIODevice::WriteOnly) || file.write(content.data(), content.size()) < 0) {
    qFatal("cannot write %s", path.c_str());
  }
}

inline std::string read_file(const std::filesystem::path& path) {
  QFile file(QString::fromStdString(path.string()));
  if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", path.c_str());
  return file.readAll().toStdString();
}

}  // namespace quire::test
