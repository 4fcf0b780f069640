// SPDX-License-Identifier: MIT
// Tests LaTeX's escapes; latex_tables compiles them.
#include "reports/text/latex.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace {

using reprise::reports::for_latex;
using reprise::reports::length_of_longest_piece;

TEST_CASE("no character of a name is a command of LaTeX") {
  CHECK(for_latex("50 % of_$x^2 & {a} #1 ~") ==
        "50 \\% of\\_\\$x\\textasciicircum{}2 \\& \\{a\\} \\#1 \\textasciitilde{}");
  CHECK(for_latex("\\input{x}") == "\\textbackslash{}input\\{x\\}");
  CHECK(for_latex("<a|\"b\">") ==
        "\\textless{}a\\textbar{}\\textquotedblright{}b\\textquotedblright{}\\textgreater{}");
}

TEST_CASE("a name is broken behind the signs that join its parts, and nowhere else") {
  CHECK(length_of_longest_piece("run (angiogenesis-libraries)") == 14);
  CHECK(length_of_longest_piece("factor=every_solve;vectors=device") == 8);
  CHECK(length_of_longest_piece("") == 0);
}

TEST_CASE("a cell that begins with a bracket or an asterisk is no argument of the line before") {
  CHECK(for_latex("[1em]*") == "{[}1em]{*}");
}

TEST_CASE("symbols become commands, accents stay, and what needs a package becomes a question mark") {
  CHECK(for_latex("δ×10⁻³²") == "$\\delta$$\\times$10$^{-32}$");
  CHECK(for_latex("Müller–Ångström") == "Müller--Ångström");
  CHECK(for_latex("run --preset x-y") == "run -{}-preset x-y");
  CHECK(for_latex("名前 Þ\xff\xc3") == "?? ???");
  CHECK(for_latex("a\nb\tc\x01") == "a b c ");
}

}  // namespace
