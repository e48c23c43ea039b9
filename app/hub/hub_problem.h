#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// The kind of an error of a hub or of a download. Its sentence names no options or buttons; the
/// command line and the window each add what the user can do there. In brackets: the error's
/// arguments.
enum class HubProblem {
  kOther,
  kTargetDiffers,      ///< Another file is at the model's place [path].
  kNoSpace,            ///< [title, bytes needed, folder, bytes free, bytes that stay free]
  kFolderNotWritable,  ///< [path, reason]
  kNotMoved,           ///< A complete model cannot be moved to its place [path, reason].
  kNoFolder,           ///< There is no home folder for models [].
  kTokenRefused,       ///< The hub does not know the token [host, what was asked for].
  kNeedsConsent,       ///< A token or consent is missing [host, what was asked for, web page].
  kSeveralFiles,       ///< One of several files must be named [model, their labels].
  kNotAModel,          ///< What was downloaded cannot be read [file, reason, where it is kept].
};

/// The kind of an error, wherever it comes from: a result, a status or a copy of one.
HubProblem problemOf(const Error& error);

Error targetDiffers(const std::string& path);
/// `spare`: what stays free on every disk.
Error noSpace(const std::string& title, int64_t needed, const std::string& folder, int64_t free,
              int64_t spare);
Error folderNotWritable(const std::string& path, const std::string& reason);
Error notMoved(const std::string& path, const std::string& reason);
Error noFolder();
Error needsConsent(const std::string& host, const std::string& what, const std::string& page);
Error tokenRefused(const std::string& host, const std::string& what);
/// The account of the token has not given its consent.
Error consentMissing(const std::string& host, const std::string& what, const std::string& page);
Error severalFiles(const std::string& model, const std::string& labels);
Error notAModel(const std::string& file, const std::string& reason, const std::string& folder);

/// "12.3 GB", with a point in every language, for sentences.
std::string bytesText(int64_t bytes);

}  // namespace quire
