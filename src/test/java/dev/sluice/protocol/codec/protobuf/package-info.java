@NullMarked
package dev.sluice.protocol.codec.protobuf;

import org.jspecify.annotations.NullMarked;
