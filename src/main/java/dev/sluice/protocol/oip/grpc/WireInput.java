package dev.sluice.protocol.oip.grpc;

import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.transport.Body;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One input as a request's message gives it.
 *
 * @param head its name, type and shape
 * @param contents the bytes of its typed contents; usually one message, none if the field is not
 *     set, more if it was sent in pieces, which protobuf allows
 * @param place where its values lie, if that is shared memory
 */
record WireInput(InputHead head, List<Body> contents, @Nullable SharedMemoryParameters place) {}
