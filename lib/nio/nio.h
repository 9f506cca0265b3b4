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
#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>
#include <nio/codec/TextCodec.h>
#include <nio/dispatch/SelectorThread.h>
#include <nio/dispatch/SelectorThreadGroup.h>
#include <nio/dispatch/Timers.h>
#include <nio/handlers/Acceptor.h>
#include <nio/handlers/Client.h>
#include <nio/handlers/Connector.h>
#include <nio/handlers/HandlerFactories.h>
#include <nio/handlers/Pipe.h>
#include <nio/handlers/Resolver.h>
#include <nio/handlers/Server.h>
#include <nio/handlers/SignalHandler.h>
