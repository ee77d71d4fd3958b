// Formulas in LaTeX, made into MathML.
#include "lib/report/formula.h"

#include <pugixml.hpp>

#include "lib/base/text.h"
#include "tests/fuzz/fuzz.h"

using namespace headway;

FUZZ_TARGET(formula) {
  try {
    const std::string mathml = to_mathml(input, /*display=*/false);
    pugi::xml_document document;
    fuzz::require(document.load_buffer(mathml.data(), mathml.size()),
                  "a formula becomes well-formed", mathml);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    fuzz::check_message(message, {""});
    fuzz::require(message.find(", at character ") != message.npos || !is_utf8(input),
                  "a mistake in a formula is located", message);
  }
}
