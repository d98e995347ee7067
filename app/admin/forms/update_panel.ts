import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'

/**
 * What an update page shows below its form, of one model alone.
 */
export interface UpdatePanel {
  /** Edge template; what `data` returns are its props */
  template: string
  /** A stylesheet that the page needs for it */
  sheet?: string

  /**
   * @param state  what a request to the panel's own routes left to be shown
   */
  data(ctx: HttpContext, record: LucidRow, state?: unknown): Promise<Record<string, unknown>>
}
