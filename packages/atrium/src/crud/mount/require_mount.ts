import type { Server } from '@adonisjs/core/http'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { RuntimeError } from '#base/errors'
import MountMiddleware from '../mount_middleware.js'

/**
 * @param middleware  of the server
 * @throws RuntimeError  when the one that serves the engine is not among it, or a body parser is before it: the engine
 *   reads bodies itself, with limits of its own
 */
export async function requireMount(
  middleware: ReturnType<Server['getMiddlewareList']>
): Promise<void> {
  for (const { reference } of middleware) {
    if (reference === MountMiddleware) return
    const loaded = await (reference as () => Promise<{ default?: unknown }>)()
    if (loaded.default === MountMiddleware) return
    if (loaded.default === BodyParserMiddleware) throw readsBodies()
  }
  throw new RuntimeError(
    "start/kernel.ts: add () => import('adonis-atrium/middleware') to server.use([...]), as its last entry. Without it nothing serves the endpoints and the admin site"
  )
}

const readsBodies = () =>
  new RuntimeError(
    "start/kernel.ts: move () => import('@adonisjs/core/bodyparser_middleware') from server.use([...]) to router.use([...]). The endpoints and the admin site read bodies themselves"
  )
