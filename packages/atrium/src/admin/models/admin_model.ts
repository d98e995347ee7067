import { BaseModel, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'
import { compareData } from '#upstream/lucid_dirty_data'
import { shareTransactionEnds } from '#upstream/lucid_record_transactions'

/** The site's own models, whose names do not depend on the naming strategy that the application chooses for its own. */
export class AdminModel extends BaseModel {
  static namingStrategy = new SnakeCaseNamingStrategy()

  static {
    compareData(this)
    shareTransactionEnds(this)
  }
}
