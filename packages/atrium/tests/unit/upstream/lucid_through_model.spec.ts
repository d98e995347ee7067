import { BaseModel, column, hasManyThrough } from '@adonisjs/lucid/orm'
import type { HasManyThrough } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import { throughModelOf } from '#upstream/lucid_through_model'

class Author extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare cityId: number
}

class Book extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare authorId: number
}

class City extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @hasManyThrough([() => Book, () => Author])
  declare books: HasManyThrough<typeof Book>
}

test.group('Through model of a relation', () => {
  test('a booted relation has its through model', ({ assert }) => {
    const relation = City.$getRelation('books')!
    relation.boot()
    assert.strictEqual(throughModelOf(relation as never), Author)
  })
})
