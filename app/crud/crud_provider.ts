import { pathToFileURL } from 'node:url'
import { fsReadAll } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import { crudOptionsOf } from './decorator.js'
import { ConfigurationError, RuntimeError } from './errors.js'
import { crudRouter } from './router.js'

/**
 * Reads the decorated models at boot and gives them their endpoints.
 */
export default class CrudProvider {
  constructor(protected app: ApplicationService) {}

  /**
   * No query is made here: this also runs for commands and for code generation, on a database that
   * may be empty. A fault stops the server; a command only warns, as it may be the one that mends it.
   * [P2, P9]
   */
  async start() {
    const errors: Error[] = []
    const seen = new Set<unknown>()

    for (const path of await this.#modelFiles()) {
      const exported = await this.#exportsOf(path).catch((error) => void errors.push(error))
      for (const model of exported ?? []) {
        if (typeof model !== 'function' || seen.has(model)) continue
        seen.add(model)
        try {
          const options = crudOptionsOf(model)
          if (options) crudRouter({ ...options, model: model as any })
        } catch (error) {
          errors.push(error as Error)
        }
      }
    }

    if (errors.length === 0) return
    const fault = new ConfigurationError(errors)
    if (this.app.getEnvironment() !== 'console') throw fault
    console.warn(fault.message)
  }

  /** What goes wrong while a file is read says nothing of where. */
  async #exportsOf(path: string): Promise<unknown[]> {
    try {
      return Object.values(await import(pathToFileURL(path).href))
    } catch (error) {
      throw new RuntimeError(
        `${this.app.relativePath(path)} can't be imported: ${messageOf(error)}`,
        { cause: error }
      )
    }
  }

  async #modelFiles(): Promise<string[]> {
    const files = await fsReadAll(this.app.modelsPath(), {
      pathType: 'absolute',
      ignoreMissingRoot: true,
      filter: (path) => /\.[jt]s$/.test(path) && !path.endsWith('.d.ts'),
    })
    return files
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
