#include "app/hub/hub_problem.h"

#include <QLocale>

#include <cstring>

namespace quire {

Error targetDiffers(const std::string& path) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 is there already, and is not what the hub has now. Move or delete it, or "
                    "choose another folder",
                    {path});
}

Error noSpace(const std::string& title, int64_t needed, const std::string& folder, int64_t free,
              int64_t spare) {
  return make_error(ErrorCode::kIo,
                    "%1 needs %2 more, and the disk of %3 has only %4 to spare beside %5 that stay "
                    "free. Free some space, or choose another folder",
                    {title, bytesText(needed), folder, bytesText(free), bytesText(spare)});
}

Error folderNotWritable(const std::string& path, const std::string& reason) {
  return make_error(ErrorCode::kIo,
                    "the folder %1 cannot be written: %2. Choose another folder, or change its "
                    "permissions",
                    {path, reason});
}

Error notMoved(const std::string& path, const std::string& reason) {
  return make_error(ErrorCode::kIo,
                    "%1 is complete, but cannot be moved to its place: %2. Try again, or choose "
                    "another folder",
                    {path, reason});
}

Error noFolder() {
  return make_error(ErrorCode::kInvalidArgument,
                    "there is no home folder for models. Choose a folder");
}

Error needsConsent(const std::string& host, const std::string& what, const std::string& page) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 does not give %2 to everybody, or there is no such model. Look at %3, give "
                    "your consent there if it asks for it, and enter the token of that account",
                    {host, what, page});
}

Error tokenRefused(const std::string& host, const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 did not accept the token for %2: it is wrong or has expired. Make a new "
                    "one in the settings of your account there, and enter it",
                    {host, what});
}

Error consentMissing(const std::string& host, const std::string& what, const std::string& page) {
  return make_error(ErrorCode::kInvalidArgument,
                    "%1 does not give %2 to the account of your token. Look at %3 and give your "
                    "consent there, or enter the token of another account",
                    {host, what, page});
}

Error severalFiles(const std::string& model, const std::string& labels) {
  return make_error(ErrorCode::kInvalidArgument, "%1 has several files: %2. Choose one of them",
                    {model, labels});
}

Error notAModel(const std::string& file, const std::string& reason, const std::string& folder) {
  return make_error(ErrorCode::kCorruptFile,
                    "%1 is what the hub has, but it is not a model that Quire can read: %2. It is "
                    "kept in %3. Choose another model",
                    {file, reason, folder});
}

HubProblem problemOf(const Error& error) {
  struct Known {
    const char* format;
    HubProblem problem;
  };
  static const Known kKnown[] = {
      {targetDiffers({}).format, HubProblem::kTargetDiffers},
      {noSpace({}, 0, {}, 0, 0).format, HubProblem::kNoSpace},
      {folderNotWritable({}, {}).format, HubProblem::kFolderNotWritable},
      {notMoved({}, {}).format, HubProblem::kNotMoved},
      {noFolder().format, HubProblem::kNoFolder},
      {needsConsent({}, {}, {}).format, HubProblem::kNeedsConsent},
      {consentMissing({}, {}, {}).format, HubProblem::kNeedsConsent},
      {tokenRefused({}, {}).format, HubProblem::kTokenRefused},
      {severalFiles({}, {}).format, HubProblem::kSeveralFiles},
      {notAModel({}, {}, {}).format, HubProblem::kNotAModel},
  };
  if (error.format == nullptr) return HubProblem::kOther;
  for (const Known& known : kKnown) {
    if (std::strcmp(known.format, error.format) == 0) return known.problem;
  }
  return HubProblem::kOther;
}

std::string bytesText(int64_t bytes) {
  const int decimals = bytes >= 1'000'000'000 ? 1 : 0;
  return QLocale::c().formattedDataSize(bytes, decimals, QLocale::DataSizeSIFormat).toStdString();
}

}  // namespace quire
