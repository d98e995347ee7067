/** Files of models, each with an error that the start of the program names */
export const INVALID_MODELS = {
  'both_lists.ts': `
    import { BaseModel, column } from '@adonisjs/lucid/orm'
    import { Crud } from '#crud'
    @Crud({ includedMethods: ['read'], deletedMethods: ['read'] })
    export default class BothLists extends BaseModel {
      @column({ isPrimary: true }) declare id: number
    }`,
  'no_model.ts': `
    import { Crud } from '#crud'
    class NoModel {}
    Crud()(NoModel as any)
    export default NoModel`,
  'far_away.ts': `
    import { BaseModel, column } from '@adonisjs/lucid/orm'
    import { Crud } from '#crud'
    @Crud()
    export default class FarAway extends BaseModel {
      static connection = 'moon'
      @column({ isPrimary: true }) declare id: number
    }`,
  'unreadable.ts': `
    import { BaseModel } from '@adonisjs/lucid/orm'
    export default class Unreadable extends BaseModel {}
    throw new Error('thrown while the file was read')`,
}
