@NullMarked
package dev.sluice.protocol.openai.http;

import org.jspecify.annotations.NullMarked;
