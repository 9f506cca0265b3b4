#include "common/http/HttpClient.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "common/http/PrivateAddress.h"

namespace apps {

namespace {

using FreeEasy = decltype([](CURL* easy) { curl_easy_cleanup(easy); });
using FreeList = decltype([](curl_slist* list) { curl_slist_free_all(list); });
using FreeUrl = decltype([](CURLU* url) { curl_url_cleanup(url); });
using FreeText = decltype([](char* text) { curl_free(text); });

// At least as long as a call lasts: libcurl must not look a name up by itself.
constexpr long keepsAddresses = 3600;

void* newMulti() {
    // Before there are handles, since its own call of it may not be safe between threads.
    static const bool isReady = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    CURLM* const multi = isReady ? curl_multi_init() : nullptr;
    if (multi == nullptr) throw std::bad_alloc();
    return multi;
}

struct List {
    std::unique_ptr<curl_slist, FreeList> head{};

    void add(const std::string& line) {
        curl_slist* const longer = curl_slist_append(head.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        (void)head.release();
        head.reset(longer);
    }
};

struct Target {
    std::string host{};  // without brackets
    std::uint16_t port = 0;
};

nio::Result<Target> targetOf(const std::string& text) {
    const std::unique_ptr<CURLU, FreeUrl> url(curl_url());
    if (url == nullptr) throw std::bad_alloc();
    const auto wrong = [](const char* why) { return nio::Error(std::errc::invalid_argument, why); };
    const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0);
    if (code != CURLUE_OK) return wrong(curl_url_strerror(code));
    const auto part = [&url](CURLUPart which) {
        char* found = nullptr;
        (void)curl_url_get(url.get(), which, &found, CURLU_DEFAULT_PORT);
        const std::unique_ptr<char, FreeText> owned(found);
        return std::string(found != nullptr ? found : "");
    };
    const std::string scheme = part(CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return wrong("The URL is not http or https");
    Target target;
    target.host = part(CURLUPART_HOST);
    if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
    target.port = static_cast<std::uint16_t>(std::stoi(part(CURLUPART_PORT)));
    return target;
}

bool hasBody(const HttpCall& call) {
    return !call.body.empty() || call.method == "POST" || call.method == "PUT" ||
           call.method == "PATCH";
}

}  // namespace

struct HttpClient::Call : std::enable_shared_from_this<Call> {
    Call(HttpClient& its, CallId number, HttpCall call, Done whenDone)
        : client(its),
          id(number),
          request(std::move(call)),
          done(std::move(whenDone)),
          limit(its.thread_.deadlines(),
                [this] {
                    nio::onDispatcher.assertCurrent();
                    client.end(*this, timedOut());
                }),
          easy(curl_easy_init()) {
        if (easy == nullptr) throw std::bad_alloc();
    }

    template <class Value>
    void set(CURLoption option, Value value) {
        if (curl_easy_setopt(easy.get(), option, value) == CURLE_OUT_OF_MEMORY) {
            throw std::bad_alloc();
        }
    }
    void prepare();
    void prepareMethod();
    // libcurl finds them under the host's name, and connects to no others.
    void useAddresses(const std::vector<nio::SocketAddress>& found);
    nio::Result<nio::UniqueFd> open(const nio::SocketAddress& address);
    void detach();

    nio::Error timedOut() const {
        return {nio::Errc::timedOut,
                "no answer in " + std::to_string(request.timeLimit.count()) + " ms"};
    }
    nio::Error error(CURLcode code) const;

    HttpClient& client;
    const CallId id;
    const HttpCall request;
    Done done;
    nio::Deadline limit;
    Target target{};
    HttpAnswer answer{};
    std::optional<nio::Result<HttpAnswer>> result{};
    std::array<char, CURL_ERROR_SIZE> why{};
    bool isRunning = false;               // libcurl has it
    std::optional<nio::Error> refusal{};  // why there is no socket for the last address
    List headers{};
    List addresses{};
    std::unique_ptr<CURL, FreeEasy> easy;  // goes before what it refers to
};

// Exceptions must not leave them.
struct HttpClient::Curl {
    static Call& callOf(CURL* easy) {
        char* call = nullptr;
        (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
        return *static_cast<Call*>(static_cast<void*>(call));
    }

    static int onSocket(CURL* easy, curl_socket_t fd, int what, void* self, void*) {
        nio::onDispatcher.assertCurrent();
        auto& client = *static_cast<HttpClient*>(self);
        if (what == CURL_POLL_REMOVE) return client.watches_.erase(fd), 0;
        const nio::Interest interest = what == CURL_POLL_IN ? nio::Interest::read
                                       : what == CURL_POLL_OUT
                                           ? nio::Interest::write
                                           : nio::Interest::read | nio::Interest::write;
        try {
            return client.watchSocket(callOf(easy), fd, interest), 0;
        } catch (const std::bad_alloc&) {
            return -1;
        }
    }

    static int onTimer(CURLM*, long milliseconds, void* self) {
        nio::onDispatcher.assertCurrent();
        nio::Deadline& timer = static_cast<HttpClient*>(self)->timer_;
        if (milliseconds < 0) return timer.cancel(), 0;
        try {
            return timer.wakeAfter(std::chrono::milliseconds(milliseconds)), 0;
        } catch (const std::bad_alloc&) {
            return -1;
        }
    }

    static curl_socket_t open(void* self, curlsocktype, curl_sockaddr* where) {
        Call& call = *static_cast<Call*>(self);
        const auto address = nio::SocketAddress::fromSystem(&where->addr, where->addrlen);
        try {
            auto opened = call.open(address);
            if (opened) return opened.value().release();
            call.refusal = opened.error();
        } catch (const std::bad_alloc&) {
            call.refusal = nio::Error(std::errc::not_enough_memory);
        }
        return CURL_SOCKET_BAD;
    }

    static std::size_t onBody(char* bytes, std::size_t, std::size_t count, void* self) {
        Call& call = *static_cast<Call*>(self);
        HttpAnswer& answer = call.answer;
        const std::size_t room = call.client.options_.maxBodyBytes - answer.body.size();
        try {
            answer.body.append(bytes, std::min(count, room));
        } catch (const std::bad_alloc&) {
            return 0;
        }
        answer.isCut = count > room;
        return answer.isCut ? 0 : count;
    }
};

void HttpClient::Call::prepare() {
    const HttpClientOptions& options = client.options_;
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_ERRORBUFFER, why.data());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!options.authority.empty()) {
        set(CURLOPT_CAINFO, options.authority.c_str());
        set(CURLOPT_CAPATH, static_cast<char*>(nullptr));  // or the system's are trusted, too
    }
    set(CURLOPT_DNS_CACHE_TIMEOUT, keepsAddresses);
    // It is shared by the addresses of the host.
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.timeLimit.count()));
    set(CURLOPT_OPENSOCKETFUNCTION, &Curl::open);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Curl::onBody);
    set(CURLOPT_WRITEDATA, this);
    prepareMethod();
}

void HttpClient::Call::prepareMethod() {
    headers.add("Expect:");  // a body does not wait for 100 Continue
    if (hasBody(request)) {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(CURLOPT_POSTFIELDS, request.body.c_str());
        headers.add("Content-Type:");  // libcurl's own guess is a form's
    }
    if (request.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    for (const auto& [name, value] : request.headers) {
        std::string line = name;
        line += value.empty() ? ";" : ": ";  // ";": an empty one
        headers.add(line += value);
    }
    set(CURLOPT_HTTPHEADER, headers.head.get());
}

void HttpClient::Call::useAddresses(const std::vector<nio::SocketAddress>& found) {
    if (target.host.find(':') != std::string::npos) return;  // numeric, of IPv6
    std::string line = "+" + target.host + ":" + std::to_string(target.port);
    char separator = ':';
    for (const nio::SocketAddress& each : found) {
        const bool isIpv6 = each.family() == nio::SocketAddress::Family::ipv6;
        line += std::exchange(separator, ',') + (isIpv6 ? "[" + each.host() + "]" : each.host());
    }
    addresses.add(line);
    set(CURLOPT_RESOLVE, addresses.head.get());
}

nio::Result<nio::UniqueFd> HttpClient::Call::open(const nio::SocketAddress& address) {
    refusal.reset();
    if (!client.options_.allowPrivate && isPrivateAddress(address)) {
        return nio::Error(std::errc::permission_denied, target.host + " has a private address");
    }
    auto opened = nio::kernel::openStreamSocket(address.family());
    if (opened) return opened;
    const std::error_code reason = opened.error().code();
    return nio::Error(reason, "cannot open a socket: " + reason.message());
}

void HttpClient::Call::detach() {
    if (std::exchange(isRunning, false)) curl_multi_remove_handle(client.multi_, easy.get());
}

nio::Error HttpClient::Call::error(CURLcode code) const {
    long number = 0;
    (void)curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &number);
    const std::string text = why.front() != '\0' ? why.data() : curl_easy_strerror(code);
    switch (code) {
        case CURLE_COULDNT_CONNECT: {
            if (refusal) return *refusal;
            if (number == 0) break;
            const std::error_code reason(static_cast<int>(number), std::system_category());
            return {reason, "cannot connect: " + reason.message()};
        }
        case CURLE_OPERATION_TIMEDOUT: return timedOut();
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE: return {nio::Errc::encodingFailed, "TLS: " + text};
        case CURLE_OUT_OF_MEMORY: return {std::errc::not_enough_memory, text};
        default: break;
    }
    return {std::errc::io_error, text};
}

HttpClient::HttpClient(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
                       HttpClientOptions options)
    : thread_(thread),
      resolver_(std::move(resolver)),
      options_(std::move(options)),
      multi_(newMulti()),
      timer_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          act(CURL_SOCKET_TIMEOUT, 0);
      }) {
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Curl::onSocket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Curl::onTimer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    const long most = static_cast<long>(options_.maxConnections);
    curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
    // By default libcurl keeps only four idle connections for each running call.
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.maxIdle));
    curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS,
                      static_cast<long>(options_.maxConnectionsPerHost));
}

// libcurl must not call it from now on: the dispatcher, which the timer needs, may have stopped.
HttpClient::~HttpClient() {
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
    watches_.clear();
    for (const auto& [id, call] : calls_) call->detach();
    calls_.clear();
    curl_multi_cleanup(multi_);
}

HttpClient::CallId HttpClient::callNow(HttpCall request, Done done) {
    const CallId id = ++lastId_;
    auto call = std::make_shared<Call>(*this, id, std::move(request), std::move(done));
    const std::weak_ptr<Call> mine = call;
    call->prepare();
    call->limit.wakeAfter(call->request.timeLimit);
    auto target = targetOf(call->request.url);
    if (!target) {
        end(*call, target.error());
    } else {
        call->target = std::move(target).value();
        const auto found = [this, mine](const nio::Resolver::Found& addresses) {
            nio::onDispatcher.assertCurrent();
            const auto its = mine.lock();
            if (its == nullptr || its->result) return;
            if (addresses) return begin(*its, addresses.value());
            const nio::Error& why = addresses.error();
            end(*its, nio::Error(why.code(), why.message()));
        };
        resolver_->resolve(call->target.host, call->target.port, found, mine);
    }
    calls_.emplace(id, std::move(call));
    return id;
}

void HttpClient::cancelNow(CallId id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    found->second->detach();
    calls_.erase(found);
}

void HttpClient::begin(Call& call, const std::vector<nio::SocketAddress>& addresses) {
    call.useAddresses(addresses);
    const CURLMcode code = curl_multi_add_handle(multi_, call.easy.get());
    call.isRunning = code == CURLM_OK;
    if (!call.isRunning) end(call, nio::Error(std::errc::io_error, curl_multi_strerror(code)));
}

void HttpClient::watchSocket(Call& call, int fd, nio::Interest interest) {
    const auto ready = [this, fd](nio::Interest what) {
        nio::onDispatcher.assertCurrent();
        act(fd, what == nio::Interest::write ? CURL_CSELECT_OUT : CURL_CSELECT_IN);
    };
    auto watched =
        nio::watch(thread_, fd, interest, nio::UniqueFunction<void(nio::Interest)>(ready));
    if (watched) {
        watches_[fd] = std::move(watched).value();
        return;
    }
    // Later, since libcurl does not allow it here.
    const nio::Error why(watched.error().code(), watched.error().message());
    (void)thread_.queue()->pushOrRefuse([this, mine = call.weak_from_this(), why] {
        nio::onDispatcher.assertCurrent();
        if (const auto its = mine.lock()) end(*its, why);
    });
}

void HttpClient::act(int fd, int ready) {
    int running = 0;
    curl_multi_socket_action(multi_, fd, ready, &running);
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
        finished(Curl::callOf(message->easy_handle), message->data.result);
    }
}

void HttpClient::finished(Call& call, int code) {
    const bool isCut = call.answer.isCut && code == CURLE_WRITE_ERROR;
    if (code != CURLE_OK && !isCut) return end(call, call.error(static_cast<CURLcode>(code)));
    long status = 0;
    (void)curl_easy_getinfo(call.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    call.answer.status = static_cast<int>(status);
    end(call, std::move(call.answer));
}

// `done` runs in a task: it may cancel other calls, destroy the client, or throw.
void HttpClient::end(Call& call, nio::Result<HttpAnswer> result) {
    if (call.result) return;
    call.detach();
    call.limit.cancel();
    call.result = std::move(result);
    (void)thread_.queue()->pushOrRefuse([this, mine = call.weak_from_this()] {
        nio::onDispatcher.assertCurrent();
        const std::shared_ptr<Call> its = mine.lock();
        if (its == nullptr) return;
        calls_.erase(its->id);
        its->done(std::move(*its->result));
    });
}

}  // namespace apps
