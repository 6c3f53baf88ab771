// Reads a module by recursive descent. A name that a block inside a function
// declares again is renamed, so that each function has one flat table of names.
#include "test/gpu/ptx/Lexer.h"
#include "test/gpu/ptx/Module.h"

#include <optional>
#include <set>

namespace tenon::ptx {
namespace {
/// No declaration of our kernels is nearly as long.
constexpr uint64_t maxBytes = uint64_t(1) << 32;

std::optional<Type> typeNamed(const std::string &name) {
  static const std::map<std::string, Type> types = [] {
    std::map<std::string, Type> all{{"pred", {Kind::Predicate, 1}},
                                    {"bf16", {Kind::BFloat, 16}},
                                    {"bf16x2", {Kind::BFloat, 32}},
                                    {"b128", {Kind::Bits, 128}}};
    for (int bits : {8, 16, 32, 64}) {
      std::string digits = std::to_string(bits);
      all["b" + digits] = {Kind::Bits, bits};
      all["u" + digits] = {Kind::Unsigned, bits};
      all["s" + digits] = {Kind::Signed, bits};
      if (bits > 8)
        all["f" + digits] = {Kind::Float, bits};
    }
    return all;
  }();
  auto found = types.find(name);
  if (found == types.end())
    return std::nullopt;
  return found->second;
}

std::optional<Space> spaceNamed(const std::string &name) {
  static const std::map<std::string, Space> spaces{
      {"global", Space::Global}, {"shared", Space::Shared},
      {"local", Space::Local},   {"param", Space::Param},
      {"const", Space::Const},
  };
  auto found = spaces.find(name);
  if (found == spaces.end())
    return std::nullopt;
  return found->second;
}

class Parser {
public:
  explicit Parser(const std::string &text) : all(tokens(text)) {}

  Module run() {
    while (now().kind != Token::Kind::End)
      moduleItem();
    if (module.version == 0 || module.architecture.empty())
      fail("expected .version and .target");
    return std::move(module);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw TextError(now().line, what);
  }
  const Token &now() const { return all[place]; }
  const Token &after(size_t ahead) const {
    return all[std::min(place + ahead, all.size() - 1)];
  }
  Token take() {
    Token token = now();
    if (token.kind != Token::Kind::End)
      ++place;
    return token;
  }
  bool isMark(char c) const {
    return now().kind == Token::Kind::Mark && now().text[0] == c;
  }
  bool isDotted(const char *text) const {
    return now().kind == Token::Kind::Dotted && now().text == text;
  }
  bool takeMark(char c) {
    if (!isMark(c))
      return false;
    ++place;
    return true;
  }
  bool takeDotted(const char *text) {
    if (!isDotted(text))
      return false;
    ++place;
    return true;
  }
  void expect(char c) {
    if (!takeMark(c))
      fail(std::string("expected '") + c + "', got '" + now().text + "'");
  }
  std::string takeName() {
    if (now().kind != Token::Kind::Word)
      fail("expected a name, got '" + now().text + "'");
    return take().text;
  }
  uint64_t takeInteger() {
    if (now().kind != Token::Kind::Integer)
      fail("expected a whole number, got '" + now().text + "'");
    return take().bits;
  }
  void skipLine() {
    int line = now().line;
    while (now().kind != Token::Kind::End && now().line == line)
      ++place;
  }

  void moduleItem() {
    if (takeDotted("version")) {
      module.version = int(takeInteger() * 10);
      module.version += std::stoi(take().text);
    } else if (takeDotted("target")) {
      module.architecture = takeName();
      while (takeMark(','))
        takeName();
    } else if (takeDotted("address_size")) {
      if (takeInteger() != 64)
        fail("expected addresses of 64 bits");
    } else if (isDotted("file")) {
      skipLine();
    } else {
      declaration();
    }
  }

  void declaration() {
    bool isExtern = false;
    while (now().kind == Token::Kind::Dotted) {
      if (takeDotted("visible") || takeDotted("weak") || takeDotted("common"))
        continue;
      if (takeDotted("extern")) {
        isExtern = true;
        continue;
      }
      break;
    }
    if (isDotted("entry") || isDotted("func"))
      return function();
    for (Variable &variable : variables()) {
      variable.isExtern = isExtern;
      module.variables.push_back(variable);
    }
  }

  /// .space [.align n] [.vN] .type name[n], ... [= value]
  std::vector<Variable> variables() {
    std::vector<Variable> result;
    Variable base;
    base.line = now().line;
    auto space = now().kind == Token::Kind::Dotted ? spaceNamed(now().text)
                                                   : std::nullopt;
    if (!space)
      fail("expected a declaration or an instruction, got '" + now().text +
           "'");
    ++place;
    base.space = *space;
    uint64_t count = typeAndAlign(base);
    do {
      Variable variable = base;
      variable.name = takeName();
      arrayBytes(variable, count);
      if (takeMark('='))
        variable.value = value(variable);
      result.push_back(variable);
    } while (takeMark(','));
    expect(';');
    return result;
  }

  /// The type, and the elements of its vector.
  uint64_t typeAndAlign(Variable &variable) {
    uint64_t vector = 1, align = 0;
    bool hasType = false;
    while (now().kind == Token::Kind::Dotted) {
      std::string word = take().text;
      if (word == "align")
        align = takeInteger();
      else if (word == "v2" || word == "v4")
        vector = word == "v2" ? 2 : 4;
      else if (auto type = typeNamed(word)) {
        variable.type = *type;
        hasType = true;
      } else if (word != "ptr" && !spaceNamed(word))
        fail("unknown property ." + word + " of a variable");
      // .ptr .global .align 16 tells of what is pointed at.
      if (word == "ptr") {
        while (now().kind == Token::Kind::Dotted) {
          if (takeDotted("align"))
            takeInteger();
          else
            ++place;
        }
      }
    }
    if (!hasType)
      fail("expected a type");
    variable.align = align ? align : variable.type.bytes() * vector;
    if (variable.align & (variable.align - 1))
      fail("expected an alignment that is a power of two");
    return vector;
  }

  void arrayBytes(Variable &variable, uint64_t count) {
    while (takeMark('[')) {
      uint64_t size = isMark(']') ? 0 : takeInteger();
      expect(']');
      if (size > maxBytes)
        fail("the array is too long");
      count *= size;
      if (count > maxBytes)
        fail("the array is too long");
    }
    variable.bytes = count * variable.type.bytes();
  }

  std::vector<uint8_t> value(const Variable &variable) {
    std::vector<uint8_t> bytes;
    auto element = [&] {
      bool negative = takeMark('-');
      Token token = take();
      if (token.kind != Token::Kind::Integer &&
          token.kind != Token::Kind::Float32 &&
          token.kind != Token::Kind::Float64)
        fail("expected a number as initial value");
      uint64_t bits = negative ? 0 - token.bits : token.bits;
      for (int i = 0; i < variable.type.bytes(); ++i)
        bytes.push_back(uint8_t(bits >> (8 * i)));
    };
    if (takeMark('{')) {
      do
        element();
      while (takeMark(','));
      expect('}');
    } else {
      element();
    }
    if (bytes.size() > variable.bytes)
      fail("more initial values than elements");
    bytes.resize(variable.bytes);
    return bytes;
  }

  void function() {
    Function made;
    made.line = now().line;
    made.isEntry = take().text == "entry";
    if (isMark('('))
      made.results = parameters();
    made.name = takeName();
    if (isMark('('))
      made.parameters = parameters();
    properties(made);
    if (takeMark(';'))
      return;
    current = &made;
    scopes.clear();
    declared.clear();
    for (const auto &list : {made.results, made.parameters})
      for (const Variable &parameter : list)
        declared.insert(parameter.name);
    block();
    current = nullptr;
    module.functions.push_back(std::move(made));
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> result;
    expect('(');
    while (!isMark(')')) {
      Variable variable;
      variable.line = now().line;
      if (!takeDotted("param"))
        fail("expected .param");
      variable.space = Space::Param;
      uint64_t count = typeAndAlign(variable);
      variable.name = takeName();
      arrayBytes(variable, count);
      result.push_back(variable);
      if (!takeMark(','))
        break;
    }
    expect(')');
    return result;
  }

  void properties(Function &made) {
    while (now().kind == Token::Kind::Dotted) {
      std::string name = take().text;
      std::vector<uint32_t> numbers;
      while (now().kind == Token::Kind::Integer) {
        numbers.push_back(uint32_t(take().bits));
        takeMark(',');
      }
      if (name == "maxntid")
        made.maxThreads = numbers;
      else if (name == "reqntid")
        made.exactThreads = numbers;
      else if (name != "minnctapersm" && name != "maxnreg" &&
               name != "noreturn")
        fail("unknown property ." + name + " of a function");
    }
  }

  void block() {
    expect('{');
    scopes.emplace_back();
    while (!takeMark('}')) {
      if (now().kind == Token::Kind::End)
        fail("expected '}'");
      blockItem();
    }
    scopes.pop_back();
  }

  void blockItem() {
    if (isMark('{'))
      return block();
    if (isDotted("reg"))
      return registers();
    if (isDotted("loc"))
      return skipLine();
    if (takeDotted("pragma")) {
      take();
      return expect(';');
    }
    if (now().kind == Token::Kind::Dotted) {
      for (Variable &variable : variables()) {
        variable.name = declare(variable.name);
        current->variables.push_back(variable);
      }
      return;
    }
    if (now().kind == Token::Kind::Word && after(1).kind == Token::Kind::Mark &&
        after(1).text == ":")
      return label();
    statement();
  }

  void label() {
    std::string name = declare(takeName());
    expect(':');
    if (takeDotted("branchtargets")) {
      auto &targets = current->branchTargets[name];
      do
        targets.push_back(takeName());
      while (takeMark(','));
      return expect(';');
    }
    current->labels[name] = current->body.size();
  }

  /// .reg .b32 %r<9>, or .reg .b64 %SP, a
  void registers() {
    ++place;
    std::string word = take().text;
    auto type = typeNamed(word);
    if (!type)
      fail("unknown type ." + word + " of a register");
    do {
      std::string name = takeName();
      if (takeMark('<')) {
        uint64_t count = takeInteger();
        expect('>');
        if (count > 1u << 20)
          fail("too many registers");
        for (uint64_t i = 0; i < count; ++i)
          current->registers[declare(name + std::to_string(i))] = *type;
      } else {
        current->registers[declare(name)] = *type;
      }
    } while (takeMark(','));
    expect(';');
  }

  std::string declare(const std::string &name) {
    std::string unique = name;
    for (int i = 1; !declared.insert(unique).second; ++i)
      unique = name + "#" + std::to_string(i);
    scopes.back()[name] = unique;
    return unique;
  }

  /// The name that the innermost block gives. Labels may be declared later.
  std::string resolved(const std::string &name) const {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto found = scope->find(name); found != scope->end())
        return found->second;
    return name;
  }

  void statement() {
    Statement made;
    made.line = now().line;
    if (takeMark('@')) {
      made.guardNegated = takeMark('!');
      made.guard = resolved(takeName());
    }
    made.name = takeName();
    while (now().kind == Token::Kind::Dotted)
      made.modifiers.push_back(take().text);
    while (!isMark(';')) {
      made.operands.push_back(operand());
      if (!takeMark(','))
        break;
    }
    expect(';');
    current->body.push_back(std::move(made));
  }

  Operand operand() {
    Operand made;
    if (takeMark('['))
      return address();
    if (takeMark('{'))
      return elements(Operand::Form::Vector, '}');
    if (takeMark('('))
      return elements(Operand::Form::List, ')');
    if (takeMark('-')) {
      made.form = Operand::Form::Integer;
      made.bits = 0 - takeInteger();
      return made;
    }
    made.negated = takeMark('!');
    switch (now().kind) {
    case Token::Kind::Integer:
      made.form = Operand::Form::Integer;
      break;
    case Token::Kind::Float32:
      made.form = Operand::Form::Float32;
      break;
    case Token::Kind::Float64:
      made.form = Operand::Form::Float64;
      break;
    case Token::Kind::Word:
      if (now().text == "_")
        made.form = Operand::Form::Sink;
      break;
    default:
      fail("expected an operand, got '" + now().text + "'");
    }
    Token token = take();
    made.bits = token.bits;
    made.name = resolved(token.text);
    if (takeMark('|'))
      made.second = resolved(takeName());
    return made;
  }

  Operand address() {
    Operand made;
    made.form = Operand::Form::Address;
    if (now().kind == Token::Kind::Word) {
      made.name = resolved(take().text);
      if (takeMark('+'))
        made.offset = offset();
    } else {
      made.offset = offset();
    }
    if (takeMark(',')) // [map, {coordinates}]
      made.elements.push_back(operand());
    expect(']');
    return made;
  }

  int64_t offset() {
    bool negative = takeMark('-');
    int64_t value = int64_t(takeInteger());
    return negative ? -value : value;
  }

  Operand elements(Operand::Form form, char end) {
    Operand made;
    made.form = form;
    while (!isMark(end)) {
      made.elements.push_back(operand());
      if (!takeMark(','))
        break;
    }
    expect(end);
    return made;
  }

  std::vector<Token> all;
  size_t place = 0;
  Module module;
  Function *current = nullptr;
  std::vector<std::map<std::string, std::string>> scopes;
  std::set<std::string> declared;
};
} // namespace

Module parse(const std::string &text) { return Parser(text).run(); }

} // namespace tenon::ptx
