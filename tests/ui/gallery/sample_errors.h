#pragma once

#include <QCoreApplication>

#include "app/error_strings.h"

namespace quire::gallery {

/// Errors as the program says them, in the language of the window.

/// Of a GGUF file that was not downloaded to its end.
inline QString cutOffGguf(const std::string& file) {
  return errorText(
      make_error(ErrorCode::kCorruptFile,
                 "%1 is damaged: the tensor \"%2\" ends after the end of the file, which has "
                 "%3 bytes; download it again",
                 {file, "blk.17.ffn_down.weight", "1,923,481,600"}));
}

/// Of a file of safetensors, which is to be a draft model.
inline QString cutOffDraft(const std::string& file) {
  const QString reason = errorText(make_error(
      ErrorCode::kCorruptFile, "%1 is %2 bytes shorter than its header says; download it again",
      {file, "1,148,928"}));
  return QCoreApplication::translate("quire::ModelDescriptionTexts",
                                     "The draft model is not used: %1")
      .arg(reason);
}

/// Of a chat that the model cannot read.
inline QString tooLongPrompt() {
  return errorText(
      make_error(ErrorCode::kContextOverflow,
                 "Even without the earlier messages the prompt has %1 tokens, %2 of them the "
                 "last message's, and the context holds %3; shorten the message, or choose a "
                 "model that reads more at once.",
                 {"9412", "9288", "8192"}));
}

}  // namespace quire::gallery
