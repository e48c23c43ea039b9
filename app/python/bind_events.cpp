#include <algorithm>
#include <cmath>

#include "app/python/bindings.h"
#include "app/python/inbox.h"

namespace quire {
namespace {

namespace py = pybind11;

/// For each token: (id, logprob) of the sampled one, then of the likeliest.
py::list logprobs_of(const RequestEvent& event) {
  py::list tokens;
  for (const std::vector<TokenLogprob>& logprobs : event.logprobs) {
    py::list entries;
    for (const TokenLogprob& entry : logprobs) {
      entries.append(py::make_tuple(entry.id, entry.logprob));
    }
    tokens.append(std::move(entries));
  }
  return tokens;
}

/// Seconds as Python counts them; a time that is too long to be meant is a day.
std::chrono::milliseconds milliseconds_of(double seconds) {
  constexpr double kDay = 86400.0;
  const double sound = std::isnan(seconds) ? 0.0 : std::clamp(seconds, 0.0, kDay);
  return std::chrono::milliseconds(static_cast<int64_t>(sound * 1000.0));
}

void bind_usage(py::module_& module) {
  py::class_<RequestUsage>(module, "Usage")
      .def_readonly("prompt_tokens", &RequestUsage::prompt_tokens)
      .def_readonly("cached_tokens", &RequestUsage::cached_tokens)
      .def_readonly("computed_tokens", &RequestUsage::computed_tokens)
      .def_readonly("output_tokens", &RequestUsage::output_tokens)
      .def_readonly("drafted_tokens", &RequestUsage::drafted_tokens)
      .def_readonly("accepted_tokens", &RequestUsage::accepted_tokens)
      .def_readonly("preemptions", &RequestUsage::preemptions)
      .def_readonly("queue_ms", &RequestUsage::queue_ms)
      .def_readonly("first_token_ms", &RequestUsage::first_token_ms)
      .def_readonly("total_ms", &RequestUsage::total_ms);
}

}  // namespace

void bind_events(py::module_& module) {
  bind_usage(module);
  py::class_<RequestEvent>(module, "Event")
      .def_readonly("id", &RequestEvent::id)
      .def_readonly("text", &RequestEvent::text)
      .def_readonly("tokens", &RequestEvent::tokens)
      .def_readonly("usage", &RequestEvent::usage)
      .def_readonly("stop", &RequestEvent::stop)
      .def_property_readonly("logprobs", &logprobs_of)
      .def_property_readonly("finish",
                             [](const RequestEvent& event) -> py::object {
                               if (!event.finish) return py::none();
                               return py::str(std::string(finish_reason_name(*event.finish)));
                             })
      .def("raise_error", [](const RequestEvent& event) { raise(event.error); });

  py::class_<Inbox, std::shared_ptr<Inbox>>(module, "Inbox")
      .def(py::init<>())
      .def("take", &Inbox::take)
      .def(
          "wait",
          [](Inbox& inbox, double seconds, bool until_ended) {
            return unlocked([&] { return inbox.wait(milliseconds_of(seconds), until_ended); });
          },
          py::arg("seconds"), py::arg("until_ended"))
      .def("fileno", [](Inbox& inbox) { return value_or_raise(inbox.descriptor()); });
}

}  // namespace quire
