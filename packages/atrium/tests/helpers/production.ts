/* Makes the application report that it runs in production. */
import app from '@adonisjs/core/services/app'

/**
 * @returns a function that restores it
 */
export function pretendProduction(): () => void {
  Object.defineProperty(app, 'inProduction', { value: true, configurable: true })
  return () => void Reflect.deleteProperty(app, 'inProduction')
}
