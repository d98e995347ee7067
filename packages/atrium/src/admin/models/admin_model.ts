import { BaseModel, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'
import { compareData } from '#upstream/lucid_dirty_data'
import { shareTransactionEnds } from '#upstream/lucid_record_transactions'

/**
 * Base class of the site's models. The column names of these models do not depend on the naming strategy that the
 * application chooses for its models.
 */
export class AdminModel extends BaseModel {
  static namingStrategy = new SnakeCaseNamingStrategy()

  static {
    compareData(this)
    shareTransactionEnds(this)
  }
}

/** Column options for JSON stored as text. */
export const jsonColumn = {
  meta: { kind: 'json' },
  prepare: (value: unknown) => (value === null ? null : JSON.stringify(value)),
  consume: (text: unknown) => (typeof text === 'string' ? JSON.parse(text) : (text ?? null)),
}
