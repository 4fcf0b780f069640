// SPDX-License-Identifier: MIT
// Teams of members on several ranks: rank 0 sends orders to the others as
// messages, and they send replies back.
#include "solvers/common/ranks/ranks.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <new>
#include <utility>

#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::ranks {
namespace {

enum class order : std::uint8_t { make, execute, unmake, end };

using member_kind = std::pair<std::string, backend>;

std::map<member_kind, member_maker>& makers() {
  static std::map<member_kind, member_maker> all;
  return all;
}

// A member with its device and the communicator that it keeps a reference to.
struct placed_member {
  communicator all;
  device on;
  std::unique_ptr<member> part;
};

// This process's members by the number of their team.
std::map<int, placed_member>& members() {
  static std::map<int, placed_member> all;
  return all;
}

// The ranks of one host take its GPUs in turn. All other kinds of device are shared by the ranks.
device device_of(backend kind, int first, int rank_on_host) {
  const discovery& found = devices_of(kind);
  const auto there = static_cast<int>(found.devices.size());
  if (there == 0) throw unavailable(found.reason);
  if (kind != backend::cuda) return found.devices.front();
  if (rank_on_host >= there)
    throw unavailable("more ranks than GPUs: " + std::to_string(rank_on_host + 1) +
                      " or more on a host that has " + std::to_string(there) + ": start fewer on each host");
  return found.devices[static_cast<std::size_t>((first + rank_on_host) % there)];
}

// What a team's constructor sends to the other ranks.
struct make_order {
  int team{};
  std::string id;
  backend kind{};
  int first_device{};
  int size{};

  message text() const {
    message m;
    m.put(order::make).put(team).put(id).put(kind).put(first_device).put(size);
    return m;
  }
  static make_order read(message& m) {
    make_order o;
    o.team = m.get<int>();
    o.id = m.get_text();
    o.kind = m.get<backend>();
    o.first_device = m.get<int>();
    o.size = m.get<int>();
    return o;
  }
};

// Chooses the device last: by then every rank of the team has its communicator, even if one finds no device.
message make_member(const make_order& o) {
  placed_member& mine = members()[o.team];
  mine.all = communicator::world().first(o.size);
  const auto maker = makers().find({o.id, o.kind});
  if (maker == makers().end()) throw error("no member is registered for " + o.id);
  mine.on = device_of(o.kind, o.first_device, communicator::world().rank_on_host());
  use(mine.on);
  mine.part = maker->second(mine.all, mine.on);
  return {};
}

// Selects the device again, because another member of this process may have selected a different one.
message execute_on_member(int team, int command, message& with) {
  const placed_member& mine = members().at(team);
  use(mine.on);
  return mine.part->execute(command, with);
}

// Prefixes the rank, unless the message already names one because all ranks of a team have agreed on it.
std::string with_rank(const std::string& what) {
  if (count() == 1 || what.starts_with("rank ")) return what;
  return "rank " + std::to_string(communicator::world().rank()) + ": " + what;
}

}  // namespace

enum class result : std::uint8_t { good, failed, missing, refused };

// The outcome of an order and its result. They are sent as two messages so that a large result is not copied.
struct reply {
  result outcome{};
  std::string reason;
  message answer;

  void send_to_first() const {
    message m;
    communicator::world().send(0, m.put(outcome).put(reason));
    communicator::world().send(0, answer);
  }
  static reply receive_from(int rank) {
    message m = communicator::world().receive(rank);
    const auto outcome = m.get<result>();
    std::string reason = m.get_text();
    return {outcome, std::move(reason), communicator::world().receive(rank)};
  }
};

namespace {

// Runs one rank's part of an order. An exception becomes a reply or, in a
// collective command, stops all ranks.
template <class Action>
reply done(manner how, Action action) {
  try {
    return {result::good, "", action()};
  } catch (const std::exception& failure) {
    const bool is_short_of_memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
    const std::string reason = with_rank(is_short_of_memory ? "its memory is too small" : failure.what());
    if (how == manner::together && count() > 1) {
      std::fprintf(stderr, "reprise: %s: all ranks stop\n", reason.c_str());
      std::fflush(nullptr);
      communicator::stop_all(1);
    }
    const bool is_missing = dynamic_cast<const unavailable*>(&failure) != nullptr;
    const bool is_refused = dynamic_cast<const bad_input*>(&failure) != nullptr;
    return {is_missing ? result::missing : is_refused ? result::refused : result::failed, reason, {}};
  }
}

message answer_in(reply& r) {
  switch (r.outcome) {
    case result::good:
      break;
    case result::missing:
      throw unavailable(r.reason);
    case result::refused:
      throw bad_input(r.reason);
    case result::failed:
      throw std::runtime_error(r.reason);  // the text of an `error` already contains its source location
  }
  return std::move(r.answer);
}

// Sends an order, also as two messages.
void send_order(int rank, int team, int command, manner how, const message& with) {
  message m;
  communicator::world().send(rank, m.put(order::execute).put(team).put(command).put(how));
  communicator::world().send(rank, with);
}

// A hash of the program's own file. Even two builds of the same sources have different hashes.
std::uint64_t hash_of_program() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::vector<char> chunk(std::size_t{1} << 20);
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, on words instead of bytes
  while (program.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), program.gcount() > 0) {
    const auto count = static_cast<std::size_t>(program.gcount());
    for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, &chunk[at], std::min(sizeof(word), count - at));
      hash = (hash ^ word) * 1099511628211ULL;
    }
  }
  return hash;
}

// Returns the first rank whose build differs from that of rank 0, or 0 if there is none. The
// result is the same on every rank.
int rank_of_other_build() {
  communicator& all = communicator::world();
  const std::uint64_t mine = hash_of_program();
  int other = 0;
  if (all.rank() > 0) {
    message m;
    all.send(0, m.put(mine));
    return all.receive(0).get<int>();
  }
  for (int r = all.size() - 1; r > 0; --r)
    if (all.receive(r).get<std::uint64_t>() != mine) other = r;
  for (int r = 1; r < all.size(); ++r) {
    message m;
    all.send(r, m.put(other));
  }
  return other;
}

void obey(message& m, order what) {
  communicator& all = communicator::world();
  if (what == order::make) {
    const make_order o = make_order::read(m);
    done(manner::apart, [&] { return make_member(o); }).send_to_first();
    return;
  }
  const int team = m.get<int>();
  if (what == order::unmake) {
    members().erase(team);
    return;
  }
  const int command = m.get<int>();
  const auto how = m.get<manner>();
  message with = all.receive(0);
  done(how, [&] { return execute_on_member(team, command, with); }).send_to_first();
}

}  // namespace

int count() {
  return communicator::world().size();
}

member_registration::member_registration(std::string_view variant_id, backend runs_on, member_maker make) {
  makers()[{std::string(variant_id), runs_on}] = make;
}

team::team(std::string_view variant_id, const device& first, int size) : size_(size) {
  static int made = 0;
  number_ = made++;
  if (size > count())
    throw unavailable(std::to_string(size) + " ranks wanted, " + std::to_string(count()) +
                      " were started: mpirun -n " + std::to_string(size) + " reprise ...");
  const make_order o{number_, std::string(variant_id), first.kind, first.index, size};
  for (int r = 1; r < size_; ++r) communicator::world().send(r, o.text());
  try {
    answers_after(done(manner::apart, [&] { return make_member(o); }));
  } catch (...) {
    unmake();
    throw;
  }
}

team::~team() {
  unmake();
}

// Tells the other ranks first: ending a resource that members share may need all of them.
void team::unmake() {
  message m;
  m.put(order::unmake).put(number_);
  for (int r = 1; r < size_; ++r) communicator::world().send(r, m);
  members().erase(number_);
}

std::vector<message> team::call(int command, const message& to_all, manner how) {
  return call(command, std::vector<message>(static_cast<std::size_t>(size_), to_all), how);
}

std::vector<message> team::call(int command, std::vector<message> to_each, manner how) {
  for (int r = 1; r < size_; ++r) send_order(r, number_, command, how, to_each[static_cast<std::size_t>(r)]);
  const auto execute = [&] { return execute_on_member(number_, command, to_each.front()); };
  if (size_ == 1) return {execute()};
  return answers_after(done(how, execute));
}

// Receives every reply before throwing, so that none stays queued.
std::vector<message> team::answers_after(reply of_first) {
  std::vector<reply> replies;
  replies.push_back(std::move(of_first));
  for (int r = 1; r < size_; ++r) replies.push_back(reply::receive_from(r));
  std::vector<message> answers;
  for (reply& r : replies) answers.push_back(answer_in(r));
  return answers;
}

session::session() {
  if (count() == 1) return;
  const int other = rank_of_other_build();
  is_one_build_ = other == 0;
  if (is_one_build_) settle_threads(communicator::world().sharing_processors());
  if (is_one_build_ || !is_first()) return;
  communicator::leave();
  throw bad_input("rank " + std::to_string(other) +
                  " runs another build of reprise than rank 0: start the same program on every rank");
}

session::~session() {
  if (is_first() && is_one_build_)
    for (int r = 1; r < count(); ++r) {
      message m;
      communicator::world().send(r, m.put(order::end));
    }
  communicator::leave();
}

bool session::is_first() const {
  return communicator::world().rank() == 0;
}

void session::serve() {
  while (is_one_build_) {
    message m = communicator::world().receive(0, communicator::patience::patient);
    const auto what = m.get<order>();
    if (what == order::end) return;
    obey(m, what);
  }
}

}  // namespace reprise::ranks
