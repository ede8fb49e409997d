/** Tests of TensorFlow Serving's REST form. */
@NullMarked
package dev.sluice.protocol.tfs.http;

import org.jspecify.annotations.NullMarked;
