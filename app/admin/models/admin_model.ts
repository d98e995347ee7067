import { BaseModel, SnakeCaseNamingStrategy } from '@adonisjs/lucid/orm'

/** The site's own models, whose names do not depend on the naming strategy that the application chooses for its own. */
export class AdminModel extends BaseModel {
  static namingStrategy = new SnakeCaseNamingStrategy()
}
