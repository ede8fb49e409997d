@NullMarked
package dev.sluice.protocol.kserve.http;

import org.jspecify.annotations.NullMarked;
