import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Item } from '#crud'

/**
 * Panel next to the form of a model's update page.
 */
export interface UpdatePanel {
  /** Edge template; receives the return value of `data` as its props */
  template: string
  /** Additional stylesheet of the page */
  sheet?: string

  /** Where it stands. Default: below the form */
  place?: 'above' | 'below'

  /**
   * Id of the part of the panel with which a record that was just created goes on; null for one that is complete,
   * which leads back to the list. Default: every one is
   */
  nextStep?(item: Item): Promise<string | null>

  /**
   * @param state  state that a request to the panel's own routes left
   */
  data(ctx: HttpContext, record: LucidRow, state?: unknown): Promise<Record<string, unknown>>
}
