#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/template/value.h"

namespace quire::jinja {

struct Expression;
using Block = std::vector<struct Statement*>;

/// Arguments of a call as written: f(positional, named=...).
struct CallSyntax {
  std::vector<Expression*> positional;
  std::vector<std::pair<std::string, Expression*>> named;
};

enum class ExpressionKind {
  kConstant,
  kName,
  kNamespaceTarget,  ///< name.attribute on the left of a `set`; operands[0] is the name.
  kTuple,
  kList,
  kDict,        ///< operands: key, value, key, value ...
  kAttribute,   ///< operands[0].name
  kItem,        ///< operands[0][operands[1]]
  kSlice,       ///< operands[0][operands[1]:operands[2]:operands[3]], null where omitted.
  kCall,        ///< operands[0](call)
  kFilter,      ///< operands[0]|name(call); operands[0] is null in block forms.
  kTest,        ///< operands[0] is name(call)
  kUnary,       ///< name is "-", "+" or "not".
  kBinary,      ///< name is the operator, "and" and "or" included.
  kCompare,     ///< operands compared in a chain by `operators`.
  kConcat,      ///< operands joined by ~
  kConditional  ///< operands[0] if operands[1] else operands[2], which may be null.
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kConstant;
  uint32_t offset = 0;  ///< In the source, for messages.
  int height = 1;       ///< Levels of evaluation below, this one included.
  std::string name;
  Value constant;
  std::vector<Expression*> operands;
  std::vector<std::string> operators;
  CallSyntax call;
};

struct Parameter {
  std::string name;
  Expression* fallback = nullptr;
};

struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
};

enum class StatementKind {
  kText,
  kPrint,
  kIf,
  kFor,
  kSet,
  kSetBlock,
  kMacro,
  kFilterBlock,
  kGeneration,
  kBreak,
  kContinue
};

struct Statement {
  virtual ~Statement() = default;
  StatementKind kind = StatementKind::kText;
  uint32_t offset = 0;
};

struct TextStatement final : Statement {
  TextRef text;
};

struct PrintStatement final : Statement {
  Expression* value = nullptr;
};

struct IfStatement final : Statement {
  std::vector<std::pair<Expression*, Block>> branches;
  Block otherwise;
};

struct ForStatement final : Statement {
  Expression* target = nullptr;
  Expression* iterable = nullptr;
  Expression* condition = nullptr;
  Block body;
  Block otherwise;
};

/// `set`, in both forms, and `filter`: the value is an expression or a rendered body.
struct SetStatement final : Statement {
  Expression* target = nullptr;
  Expression* value = nullptr;  ///< In the block form the filters, if any.
  Block body;
};

struct MacroStatement final : Statement {
  MacroDefinition macro;
};

/// Marks what the assistant says, for training; renders as its body.
struct GenerationStatement final : Statement {
  Block body;
};

/// A parsed template. Owns its nodes in flat lists, so that destroying it does not recurse.
struct SyntaxTree {
  std::string source;  ///< With newlines normalised; offsets refer to it.
  Block body;
  std::vector<std::unique_ptr<Expression>> expressions;
  std::vector<std::unique_ptr<Statement>> statements;
};

}  // namespace quire::jinja
