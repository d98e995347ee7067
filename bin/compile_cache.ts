/*
 * Imported by the entry points before the application: V8 keeps what it has compiled for the next start, which takes a
 * fifth less of the processor. In a folder that cannot be written it does without.
 */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/atrium/v8', import.meta.url)))
/* Node.js writes it when the process ends, which may be by force. */
setTimeout(flushCompileCache, 10_000).unref()
