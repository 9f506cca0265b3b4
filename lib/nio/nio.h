// What most programs need, for programs only: the library's own files include what they use.
//
//     #include <nio/nio.h>
//
// Fewer headers compile faster; each of these can be included by itself.
#pragma once

#include <nio/base/Bytes.h>
#include <nio/base/Error.h>
#include <nio/base/Log.h>
#include <nio/base/Result.h>
#include <nio/channel/ServerSocketChannel.h>
#include <nio/channel/SocketChannel.h>
#include <nio/codec/DelimiterDecoder.h>
#include <nio/codec/FixedLengthDecoder.h>
#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>
#include <nio/connection/Pipe.h>
#include <nio/group/Ask.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/loop/SelectorThread.h>
#include <nio/net/Acceptor.h>
#include <nio/net/Client.h>
#include <nio/net/Connector.h>
#include <nio/net/HostedTurns.h>
#include <nio/net/Resolver.h>
#include <nio/net/Server.h>
#include <nio/net/SignalHandler.h>
#include <nio/net/Takeover.h>
#include <nio/net/Watch.h>
#include <nio/pipeline/IdleStage.h>
#include <nio/pipeline/Observers.h>
#include <nio/pipeline/PipelineFactory.h>
#include <nio/pipeline/RateLimitStage.h>
#include <nio/sys/handover/Handover.h>
#include <nio/timers/Timers.h>
