import { join, relative } from 'node:path'
import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'

/** The application with another root directory, for code that reads and writes a project's files. */
export function appIn(root: string): ApplicationService {
  const makePath = (...parts: string[]) => join(root, ...parts)
  const own: Record<PropertyKey, unknown> = {
    makePath,
    relativePath: (path: string) => relative(root, path),
    modelsPath: (...parts: string[]) => makePath('app/models', ...parts),
    migrationsPath: (...parts: string[]) => makePath('database/migrations', ...parts),
    factoriesPath: (...parts: string[]) => makePath('database/factories', ...parts),
  }
  return new Proxy(app, {
    get(target: any, name) {
      const value = own[name] ?? target[name]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
