@NullMarked
package dev.sluice.protocol.tfs;

import org.jspecify.annotations.NullMarked;
