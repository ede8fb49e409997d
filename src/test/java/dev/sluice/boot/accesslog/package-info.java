@NullMarked
package dev.sluice.boot.accesslog;

import org.jspecify.annotations.NullMarked;
