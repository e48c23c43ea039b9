#include <utility>

#include "app/python/bindings.h"
#include "engine/sampling/sampling_fields.h"

namespace quire {
namespace {

namespace py = pybind11;

using Biases = std::vector<std::pair<TokenId, float>>;

void set_biases(SamplingParams& params, const Biases& biases) {
  params.logit_bias.clear();
  for (const auto& [id, bias] : biases) params.logit_bias.push_back({id, bias});
}

}  // namespace

void bind_sampling(py::module_& module) {
  py::class_<SamplingParams> sampling(module, "Sampling");
  sampling.def(py::init<>());
  sampling.def(py::init<const SamplingParams&>());
  for_each_sampling_field(
      [&](const auto& field) { sampling.def_readwrite(field.name, field.member); });
  sampling.def_readwrite("min_tokens", &SamplingParams::min_tokens);
  sampling.def_readwrite("num_logprobs", &SamplingParams::num_logprobs);
  sampling.def_readwrite("stop_token_ids", &SamplingParams::stop_token_ids);
  sampling.def("set_logit_bias", &set_biases);
  sampling.def("check", [](const SamplingParams& params) { value_or_raise(validate(params)); });
  module.attr("MAX_LOGPROBS") = kMaxLogprobs;
  module.attr("MAX_ANSWERS") = kMaxAnswers;
}

}  // namespace quire
