/*
 * Has the application take itself for one in production, as far as it asks while a test runs.
 */
import app from '@adonisjs/core/services/app'

/**
 * @returns what takes it back
 */
export function pretendProduction(): () => void {
  Object.defineProperty(app, 'inProduction', { value: true, configurable: true })
  return () => void Reflect.deleteProperty(app, 'inProduction')
}
