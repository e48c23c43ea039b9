#pragma once

#include "kernels/cpu_tuning.h"

namespace quire {

/// The fields of a choice, in cpu-tuning.json and in the report of `inspect --devices`. Json is
/// nlohmann::json or nlohmann::ordered_json.
template <typename Json>
Json tuning_fields(const LinearTuning& tuning) {
  return {{"ahead_bytes", tuning.ahead_bytes},
          {"into_l2", tuning.into_l2},
          {"gemv_rows", tuning.gemv_rows}};
}

/// The same of a measured speed, without the speed.
template <typename Json>
Json tuning_fields(const TuningSpeed& speed) {
  Json fields = tuning_fields<Json>(speed.tuning);
  fields["rows"] = speed.num_rows;
  return fields;
}

}  // namespace quire
