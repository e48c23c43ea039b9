#pragma once

#include <QAbstractListModel>
#include <QVariant>

#include "app/get_models/hub_access.h"

namespace quire {

/// A model on a hub with a file that suits this machine, one that does not, and one that is there.
inline HubListing sampleListing() {
  return {.id = "id",
          .hub = "Hugging Face",
          .name = "org/repo",
          .license = "mit",
          .page = QUrl("https://huggingface.co/org/repo"),
          .choices = {{.label = "Q4_K_M",
                       .bytes = 5'000'000'000,
                       .fit = MachineFit::kMemory,
                       .tokensPerSecond = 8.25,
                       .target = "/models/org/repo/q4.gguf"},
                      {.label = "BF16",
                       .bytes = 16'000'000'000,
                       .numFiles = 3,
                       .fit = MachineFit::kTooLarge,
                       .tokensPerSecond = 2.0,
                       .target = "/models/org/repo/bf16"},
                      {.label = "Q2_K",
                       .bytes = 3'000'000'000,
                       .fit = MachineFit::kGpu,
                       .target = "/models/org/repo/q2.gguf",
                       .isThere = true}},
          .usual = 0};
}

/// What a row of a model says in the role of that name.
inline QVariant roleOf(const QAbstractListModel& model, int row, const QByteArray& role) {
  return model.data(model.index(row), model.roleNames().key(role));
}

}  // namespace quire
