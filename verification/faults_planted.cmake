# SPDX-License-Identifier: MIT
# plant(FILE FAULT ORIGINAL REPLACEMENT [VARIANT]), see faults.cmake. "nothing" changes nothing: it must pass, which
# shows that the others fail for their faults and not for the way they are built.

plant(jacobi/cpu_diagonals.cpp nothing [[float sum = f_[i];]] [[float sum = +f_[i];]])
plant(jacobi/cpu_diagonals.cpp wrong_neighbour [[sum -= d_[2][i] * (south + i)[1];]] [[sum -= d_[2][i] * south[i];]])
plant(jacobi/cpu_diagonals.cpp swapped_coefficients
  "sum -= d_[6][i] * (north + i)[-1];
      sum -= d_[7][i] * north[i];
      sum -= d_[8][i] * (north + i)[1];"
  "sum -= d_[8][i] * (north + i)[-1];
      sum -= d_[7][i] * north[i];
      sum -= d_[6][i] * (north + i)[1];")
plant(jacobi/cpu_interleaved.cpp wrong_sign "sum -= row[k]" "sum += row[k]")
plant(jacobi/cpu_interleaved.cpp stale_buffer "here = x + i;" "here = (i < n_ / 2 ? x : next) + i;")
plant(jacobi/cpu_interleaved.cpp last_node_skipped "for (std::size_t i = 0; i < n_; ++i) {
      const float" "for (std::size_t i = 0; i + 1 < n_; ++i) {
      const float")
plant(jacobi/openmp.cpp last_lanes_skipped "tiles_ = (n_ + lanes - 1) / lanes;" "tiles_ = n_ / lanes;")
plant(jacobi/openmp.cpp tile_skipped "c * chunk, std::min(" "c * chunk + (c > 0 ? 1 : 0), std::min(")
plant(jacobi/openmp.cpp padding_divides_by_zero "if (i >= n_) word[4 * lanes] = 1.0F;" "")
plant(jacobi/cuda_simple.cu partial_block_not_launched
  "cuda::launch(sweep_vector, grid(),"
  "cuda::launch(sweep_vector, std::max(1U, static_cast<unsigned>(n_) / block_threads),")
plant(jacobi/cuda_simple.cu failing_launch "grid(), block_threads, 0" "grid(), 32 * block_threads, 0")
plant(jacobi/cuda_aligned.cu not_a_number "n_, nx_, omega_);" "n_, nx_, omega_ / 0 * 0);")
plant(jacobi/cuda_2d.cu off_by_one_at_16m_plus_1
  "if (ix >= nx) return;" "if (ix >= nx - (nx % 16 == 1 && nx > 16)) return;")
plant(jacobi/cuda_2d.cu last_row_skipped "if (ix >= nx) return;" "if (ix >= nx || blockIdx.y + 1 == gridDim.y) return;")
plant(jacobi/cuda_shared.cu missing_barrier "  __syncthreads();\n" "")
plant(jacobi/cuda_shared.cu wrong_neighbour "tile[1][c - 1]" "tile[1][c]")
plant(jacobi/cuda_shared_symmetric.cu ghost_not_set "ix > 0 ? m.d[5][i - 1] : 0.0F" "0.0F")
plant(jacobi/cuda_texture.cu stale_buffer "    std::swap(x_texture_, next_texture_);\n" "")
plant(jacobi/cuda_texture.cu wrong_neighbour "i + nx - 1)" "i + nx)")
plant(jacobi/cuda_resident.cu ghost_row_not_set "if (!at.at_border()) {" "if (false) {")
plant(jacobi/cuda_resident.cu mirrored_coefficients "(w < 3 ? w + 6 : w - 6)" "w")
plant(jacobi/cuda_resident.cu missing_barrier "shared.halo[0][group].put(lane, halo);
  __syncthreads();" "shared.halo[0][group].put(lane, halo);")
plant(jacobi/opencl_simple.cl wrong_sign "sum -= d3[i]" "sum += d3[i]")
plant(jacobi/opencl_simple.cl not_a_number "sum / d4[i]" "sum / (d4[i] - d4[i]) * 0.0f")
plant(jacobi/opencl_simple.cpp stale_buffer "sweep_from_[current_].run" "sweep_from_[0].run")
plant(jacobi/opengl_luminance.frag wrong_weight "(1.0 - w)" "(0.999 - w)")
plant(jacobi/opengl_luminance.frag precision_dropped "next = (1.0 - w) * texture(x, here).r +"
  "next = (1.0 - w) * intBitsToFloat(floatBitsToInt(texture(x, here).r) & 0xffffff00) +")
plant(jacobi/opengl_rgba.frag wrong_neighbour "sum -= texture(d[5], here) * vec4(centre.yzw, right.x)"
  "sum -= texture(d[5], here) * vec4(centre.yzw, right.y)")

plant(tissue/cpu_serial.cpp nothing "const bool is_first = s == 0;" "const bool is_first = !(s != 0);")
plant(tissue/cpu_serial.cpp ghost_row_not_set
  "folded(problem_.border, i, n)" "folded(problem_.border, i < 0 ? 1 : i, n)")
plant(tissue/cpu_serial.cpp swapped_coefficients "coefficient_of(problem_, f)" "coefficient_of(problem_, 0)")
plant(tissue/cpu_serial.cpp row_skipped "for (std::size_t j = 0;" "for (std::size_t j = 1;")
plant(tissue/cpu_serial.cpp lost_weight
  "sum[c] = (is_first ? 0 : sum[c]) + weight * k[c];" "sum[c] = (is_first ? 0 : sum[c]) + k[c];")
plant(tissue/openmp.cpp margin_too_narrow
  "const int margin = schedule_.stages;" "const int margin = schedule_.stages - 1;")
plant(tissue/models.cl wrong_sign "r[0] = u - v - u * u * u;" "r[0] = u + v - u * u * u;" opencl_stages)
plant(tissue/models.cl precision_dropped
  "const double b = 1.5819767068693264;" "const double b = 1.5819767f;" opencl_stages)
plant(tissue/opencl_stages.cl stale_term "k[f * cells + cell] += term[f];" "k[f * cells + cell] = term[f];")
plant(tissue/opencl_3ns.cl swapped_coefficients "k[cells + cell] = coefficient_v *" "k[cells + cell] = coefficient_u *")
plant(tissue/opencl_2ns.cl last_cell_skipped "if (cell >= cells) return;" "if (cell + 1 >= cells) return;")
plant(tissue/opencl_fused.cl missing_barrier "    barrier(CLK_LOCAL_MEM_FENCE);\n    ++stale;" "    ++stale;")
plant(tissue/opencl_fused.cl last_column_skipped
  "if (x >= nx || y >= ny) continue;" "if (x >= nx - 1 || y >= ny) continue;")
plant(tissue/opencl_fused.cpp stale_buffer "    is_in_next_ = !is_in_next_;\n" "")
plant(tissue/cuda_fused.cu stale_tile "    mine.receive();\n" "")
plant(tissue/cuda_fused.cu one_step_too_many "count < most ? count : most" "most")
plant(tissue/cuda_resident.cu late_exchange "n % steps_of_exchange == 0" "n % (2 * steps_of_exchange) == 0")
plant(tissue/cuda_resident.cu stale_mail "epoch_ += " "epoch_ += 0 * ")

plant(curvature/cpu_serial.cpp nothing "Real(.375)" "Real(3. / 8)")
plant(curvature/cpu_serial.cpp wrong_coefficient "Real(.375)" "Real(.38)")
plant(curvature/cpu_serial.cpp lost_magnitude "const Real here = std::abs(" "const Real here = (")
plant(curvature/openmp.cpp swapped_stages "{1.0 / 8, 3.0 / 8, 0}, {0, 2, 0}" "{1.0 / 8, 3.0 / 8, 0}, {0, 1, 0}")
plant(curvature/openmp.cpp wrong_time "{1.0 / 2, {1.0 / 8," "{1.0 / 3, {1.0 / 8,")
plant(curvature/openmp.cpp row_skipped
  "for (int j = 1; j < problem_.cells_y; ++j) {" "for (int j = 2; j < problem_.cells_y; ++j) {")
plant(curvature/openmp.cpp precision_dropped
  "sum.weight[m] = static_cast<Real>(tau" "sum.weight[m] = static_cast<float>(tau")
plant(curvature/opencl_merson.cl wrong_neighbour "f[-row] - f[1 - row]" "f[-row] - f[-1 - row]")
plant(curvature/opencl_merson.cl wrong_sign "      -0.25f *" "      0.25f *")
plant(curvature/opencl_merson.cl missing_barrier "    barrier(CLK_LOCAL_MEM_FENCE);\n" "")
plant(curvature/opencl_merson.cl precision_dropped "return sqrt(1 + g.x * g.x + g.y * g.y);"
  "return sqrt((float)(1 + g.x * g.x + g.y * g.y));")
plant(curvature/opencl_merson.cpp stale_buffer "s == 0 ? u_ : v_" "u_")
plant(curvature/cuda_merson.cu missing_barrier "  tree[lane] = mine;\n  __syncthreads();" "  tree[lane] = mine;")
plant(curvature/cuda_merson.cu ghost_column_not_set "min(max(i, 1), m.nx - 2)" "min(max(i, 1), m.nx - 1)")
plant(curvature/cuda_merson.cu only_first_partial_maximum "while (left > 1) {" "while (false) {")
plant(curvature/cuda_resident.cu stale_argument "    now ^= 1;\n" "")
plant(curvature/cuda_resident.cu stale_forcing "a.at[phase_of(3)]" "a.at[phase_of(0)]")
plant(curvature/cuda_multi.cu stale_halo "halo_.exchange(parity_, aside);" "")
plant(curvature/cuda_multi.cu wrong_place_in_halo "halo_(rows_.view(), own_, halo_rows(g.what), all"
  "halo_(rows_.view(), own_, halo_rows(g.what) - 1, all")
plant(curvature/cuda_multi.cu row_skipped "wanted_.push_back({rest.last, own_.own.last});"
  "wanted_.push_back({rest.last, own_.own.last - 1});")
plant(curvature/cuda_multi.cu error_of_one_rank "halo_.reduce_error(parity_, aside);" "")

plant(angiogenesis/cpu_elimination.cpp nothing "std::size_t p = k;" "std::size_t p = k + 0;")
plant(angiogenesis/cpu_elimination.cpp wrong_pivot "if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;"
  "if (row(i)[k] > row(p)[k]) p = i;")
plant(angiogenesis/cpu_elimination.cpp right_side_not_swapped "row(k) + n_ + 1, row(p)" "row(k) + n_, row(p)")
plant(angiogenesis/cpu_elimination.cpp stale_right_side "has_right_ ? right_[i] : 0" "has_right_ ? right_[0] : 0")
plant(angiogenesis/cpu_structured.cpp wrong_sign "b[m + i] - coupling[i] * x[i]" "b[m + i] + coupling[i] * x[i]")
plant(angiogenesis/cpu_structured.cpp even_count_forgotten
  "    if (last - middle < middle) above[s] = outward(0, middle - 1, s, middle - 1, above[s]);\n" "")
plant(angiogenesis/cpu_study.cpp wrong_member "run(member_of(study_, member)," "run(member_of(study_, member / 2),")
plant(angiogenesis/lapack_banded.cpp wrong_column_refused
  "refuse_singular(unknown_at(k))" "refuse_singular(static_cast<int>(k) + 1)")
plant(angiogenesis/lapack_lu.cpp transposed "'N'" "'T'")
plant(angiogenesis/cuda_elimination.cu missing_barrier
  "    row[0] = n;\n  }\n  __syncthreads();" "    row[0] = n;\n  }")
plant(angiogenesis/cuda_elimination.cu row_lost_in_swap "  entry(a, n, p, j) = upper;\n" "")
plant(angiogenesis/cuda_elimination.cu last_rows_skipped
  "(n + tile_side - 1) / tile_side}" "n / tile_side + (n < tile_side)}")
plant(angiogenesis/cuda_structured.cu missing_barrier
  "  __syncthreads();\n  if (field != 1) return;" "  if (field != 1) return;")
plant(angiogenesis/cuda_study.cu unclipped "  if (value < 0) value = 0;\n" "")
plant(angiogenesis/cuda_study.cu ghost_not_set "k == last ? last - 1 : k + 1, last" "k == last ? last : k + 1, last")
plant(angiogenesis/cuda_study.cu missing_barrier "make_right_side(m, k, u, next); });\n    __syncthreads();"
  "make_right_side(m, k, u, next); });")

plant(atrium/cuda_stages.cu nothing "unsigned long long largest = 0;" "unsigned long long largest{};")
plant(atrium/cpu_serial.cpp maximum_lost "worst = worse(worst, body(k))" "worst = body(k)")
plant(atrium/openmp_aos.cpp last_cell_skipped "k < cells; ++k)" "k < cells - 1; ++k)")
plant(atrium/openmp.cpp wrong_sign "* (other - v);" "* (v - other);")
plant(atrium/cuda_stages.cu missing_barrier
  "  __syncthreads();\n  if (threadIdx.x != 0) return;" "  if (threadIdx.x != 0) return;")
plant(atrium/cuda_stages.cu stale_buffer "        current_ = 1 - current_;\n" "")
plant(atrium/cuda_stages.cu stale_argument "i == 0 ? state : sphere_.argument(i)," "state,")
plant(atrium/cuda_device_control.cu stale_error "  r.error_bits = 0;\n" "")
plant(atrium/cuda_device_control.cu stimulus_at_wrong_time "r.state.t + r.state.h / 2" "r.state.t")
plant(atrium/cuda_device_control.cu stale_buffer "if (accepted[0] != 0) r->current" "if (false) r->current")
plant(atrium/cuda_tuned.cu wrong_coefficient "std::expm1(-h / 8)" "std::expm1(-h / 7)")
plant(atrium/cuda_tuned.cu stale_table "if (table_h_ != h)" "if (table_h_ == 0)")
plant(atrium/mpi_cpu.cpp nothing "is_alone_{false}" "is_alone_{}")
plant(atrium/mpi_cpu.cpp stale_halo
  "    for (std::size_t n = 0; n < halo_; ++n) voltage(first_ + n) = arriving_[n];\n" "")
plant(atrium/mpi_cpu.cpp wrong_place_in_halo "&arriving_[static_cast<std::size_t>(b.first) - first_]" "&arriving_[0]")
plant(atrium/mpi_cpu.cpp error_of_first_rank "double both[]{mine.error," "double both[]{all_->rank() == 0 ? mine.error : 0,")
plant(atrium/cuda_multi.cu stale_halo "      exchange_->enqueue(parcels, urgent_.get());\n" "")
plant(atrium/cuda_multi.cu packed_from_result "auto* const v = const_cast<Real*>(places_of(i).here);"
  "auto* const v = const_cast<Real*>(places_of(i).state);")
plant(atrium/cuda_multi.cu border_skipped "evaluate_range<rule>(i, interior_, cells(), urgent_.get());"
  "evaluate_range<rule>(i, interior_ + 1, cells(), urgent_.get());")
plant(atrium/cuda_multi.cu error_of_border_lost "if (is_last && d.is_judged) report_error(found, error);"
  "if (is_last && d.is_judged && cells.first == 0) report_error(found, error);")
