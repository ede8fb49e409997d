@NullMarked
package dev.sluice.protocol.openai.tools;

import org.jspecify.annotations.NullMarked;
