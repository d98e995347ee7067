import type { Server } from '@adonisjs/core/http'
import { RuntimeError } from '../errors.js'
import MountMiddleware from '../mount_middleware.js'

/**
 * @param middleware  of the server
 * @throws RuntimeError  when the one that serves the engine is not among it
 */
export async function requireMount(
  middleware: ReturnType<Server['getMiddlewareList']>
): Promise<void> {
  for (const { reference } of middleware) {
    if (reference === MountMiddleware) return
    const loaded = await (reference as () => Promise<{ default?: unknown }>)()
    if (loaded.default === MountMiddleware) return
  }
  throw new RuntimeError(
    "start/kernel.ts: add () => import('#crud/mount_middleware') to server.use([...]), as its last entry. Without it nothing serves the endpoints and the admin site"
  )
}
