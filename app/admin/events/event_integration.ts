import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/**
 * Where what happens in the admin site is logged. The site's default is none. [E2]
 */
export interface EventIntegration {
  /**
   * @param event    what happened
   * @param options  the client of the write it belongs to, if it is part of one
   */
  log(event: Record<string, unknown>, options?: { client?: QueryClientContract }): Promise<void>
}
