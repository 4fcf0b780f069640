// SPDX-License-Identifier: MIT
// How the program that counts asks the one that is counted: JSON documents, a line each, as in a duel.
//   {"do":"cases","request":R}   -> {"cases":[...]}      R as in run.json; CUDA variants are those of the emulation. Each has
//                                                        also "seconds" of a repeat, if known, and "has_own_work"
//   {"do":"load","case":K}       -> {}
//   {"do":"verify"}              -> {}
//   {"do":"count","repeats":N}   -> {"processor":P,...}  under Callgrind, which writes what it counted to a file
//   {"do":"judge","repeats":N}   -> {}                   the work that was counted
//   {"do":"kernels"}             -> {"kernels":[...]}    of the CUDA device, if there is one
#pragma once

namespace reprise::counting {

constexpr int protocol_version = 1;
constexpr auto side_command = "count-side";

}  // namespace reprise::counting
