#pragma once

#include <QByteArray>

namespace quire {

/// The user's token for Hugging Face, of HF_TOKEN or where its libraries keep it (HF_TOKEN_PATH,
/// $HF_HOME/token, ~/.cache/huggingface/token); empty: there is none. Thread: any; reads a file.
QByteArray storedToken();

}  // namespace quire
