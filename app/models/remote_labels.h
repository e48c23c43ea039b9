#pragma once

#include <QString>

#include "app/remote/remote_endpoint.h"
#include "app/store/records.h"

namespace quire::remote_labels {

/// "https://api.example.com/v1 · leaves this computer".
QString place(const RemoteEndpoint& endpoint);
/// "$0.30 in, $1.20 out per million tokens"; empty: no prices were entered.
QString price(const RemoteEndpoint& endpoint);
/// What a chat with such a model sends where, in a sentence.
QString warning(const RemoteEndpoint& endpoint);
/// Introduces the model in an empty chat.
QString introduction(const RemoteEndpoint& endpoint, const QString& model);

/// Whether an endpoint wrote the answer.
bool isRemote(const MessageRecord& answer);
/// "1,204 tokens in (1,024 cached) · 310 out · $0.0042", for an answer's footer; empty: the
/// endpoint counted nothing. `endpoint` may be null.
QString usage(const MessageRecord& answer, const RemoteEndpoint* endpoint);
/// The same in sentences.
QString usageHint(const MessageRecord& answer, const RemoteEndpoint* endpoint);

}  // namespace quire::remote_labels
