@NullMarked
package dev.sluice.protocol.openai.responses;

import org.jspecify.annotations.NullMarked;
