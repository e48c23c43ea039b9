#include "engine/tokenizer/tokenizer_error.h"

#include "engine/io/text.h"

namespace quire {

Error tokenizer_error(const std::string& file, const Error& reason) {
  const bool is_damage = reason.code == ErrorCode::kCorruptFile;
  return {reason.code, "The tokenizer " + file + " cannot be used: " + printable(reason.message) +
                           (is_damage ? ". Download it again." : ".")};
}

}  // namespace quire
