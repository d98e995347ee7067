import { BaseModel, belongsTo, column, computed, hasMany, manyToMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany, ManyToMany } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import { Crud, crudRouter, resources, ValueError } from '#crud'
import { Resource } from '#crud/resource/resource'
import { Lender, Reel } from '#tests/fixtures/shop'
import { Choir } from '#tests/fixtures/choirs'
import { Album, Cover, Label, Song } from '#tests/fixtures/includes'

class Leaf extends BaseModel {
  static table = 'inc_tags'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare twigId: number

  @belongsTo(() => Twig)
  declare twig: BelongsTo<typeof Twig>

  @belongsTo(() => Twig, { serializeAs: null, foreignKey: 'twigId' })
  declare hiddenTwig: BelongsTo<typeof Twig>

  @belongsTo(() => Twig, { serializeAs: 'twig_id', foreignKey: 'twigId' })
  declare clashingTwig: BelongsTo<typeof Twig>

  @belongsTo(() => Twig, { serializeAs: 'colour', foreignKey: 'twigId' })
  declare colouredTwig: BelongsTo<typeof Twig>

  @belongsTo(() => Twig, { foreignKey: 'missing' })
  declare brokenTwig: BelongsTo<typeof Twig>

  @computed()
  get colour() {
    return 'green'
  }
}

class Twig extends BaseModel {
  static table = 'inc_tags'

  @column({ isPrimary: true })
  declare id: number

  @hasMany(() => Leaf, { serializeAs: 'its_leaves' })
  declare leaves: HasMany<typeof Leaf>

  @manyToMany(() => Pebble, {
    pivotTable: 'inc_album_tag',
    pivotForeignKey: 'album_id',
    pivotRelatedForeignKey: 'tag_id',
  })
  declare stones: ManyToMany<typeof Pebble>
}

class Bough extends BaseModel {
  static table = 'inc_tags'

  @column({ isPrimary: true })
  declare id: number

  @column({ serializeAs: 'leaves_has_more' })
  declare name: string

  @hasMany(() => Leaf, { foreignKey: 'twigId' })
  declare leaves: HasMany<typeof Leaf>

  @hasMany(() => Leaf, { foreignKey: 'twigId' })
  declare buds: HasMany<typeof Leaf>

  @belongsTo(() => Leaf, { foreignKey: 'id', serializeAs: 'buds_has_more' })
  declare next: BelongsTo<typeof Leaf>
}

@Crud({ path: 'inc-pebbles', access: 'public' })
class Pebble extends BaseModel {
  static table = 'inc_tags'

  @column({ isPrimary: true })
  declare id: number

  @column({ serializeAs: 'pivot' })
  declare name: string
}

class Stone extends BaseModel {
  static table = 'inc_tags'

  @column({ isPrimary: true })
  declare id: number
}

function messageOf(model: any, include: any[]): string {
  try {
    new Resource({ model, include })
  } catch (error) {
    if (error instanceof ValueError) return error.message
    throw error
  }
  throw new Error('Nothing was thrown')
}

test.group('IncludedRelation', () => {
  test('[Q3, P9] an unknown relation is a ValueError that lists the known ones', ({ assert }) => {
    const message = messageOf(Leaf, ['twig', 'root'])
    assert.match(message, /^Leaf: include names 'root', which is not a relation of the model/)
    assert.include(message, 'twig, hiddenTwig, clashingTwig, colouredTwig')
    assert.equal(
      messageOf(Stone, ['leaves']),
      "Stone: include names 'leaves', but the model has no relations"
    )
    assert.throws(() => crudRouter({ model: Stone, path: 'stones', include: ['x'] }), /include/)
  })

  test('[Q3, P9] an invalid option of a relation is a ValueError that names it')
    .with([
      [
        { relation: 'albums', limit: 0 },
        'Label: include.limit is 0, and must be a positive integer',
      ],
      [{ relation: 'albums', limit: '5' }, 'Label: include.limit is'],
      [
        { relation: 'albums', most: 5 },
        "Label: there is no option 'include.most'; options of include are relation, limit and pivot",
      ],
      [{ limit: 5 }, 'Label: include.relation is undefined, and must be a string'],
      [
        { relation: 'root', limit: 5 },
        "Label: include names 'root', which is not a relation of the model",
      ],
      [
        { relation: 'albums', pivot: ['a'] },
        "Label: include names 'albums', a hasMany, with pivot; only a manyToMany has a pivot table",
      ],
    ] as const)
    .run(({ assert }, [option, message]) => {
      assert.include(messageOf(Label, [option]), message)
    })

  test('[Q3, P9] a limit on a relation to one record is a ValueError, and so is a has_more mark with a used name', ({
    assert,
  }) => {
    assert.equal(
      messageOf(Album, [{ relation: 'cover', limit: 5 }]),
      "Album: include names 'cover', a hasOne, with a limit; only a relation to many takes one"
    )
    assert.include(messageOf(Bough, ['leaves']), "the same name 'leaves_has_more' in the API")
    assert.throws(
      () => crudRouter({ model: Album, path: 'a', include: [1] as any }),
      /a list of relations/
    )
  })

  test('[Q3, P9] an unknown pivot column is a ValueError that lists the columns of the table', async ({
    assert,
  }) => {
    const { includes } = new Resource({
      model: Choir,
      include: [{ relation: 'concerts', pivot: ['fee', 'rank'] }],
    })
    await assert.rejects(
      () => includes.get('concerts')!.load(),
      "Choir: include names 'concerts' with the pivot column 'rank', which inc_choir_concert does not have; its columns are choir_id, concert_id, part, fee, sang, sung_on, ticket and secret"
    )
    const other = new Resource({ model: Album, include: [{ relation: 'tags', pivot: ['name'] }] })
    await other.includes.get('tags')!.load()
    const named = new Resource({
      model: Twig,
      include: [{ relation: 'stones', pivot: ['name'] }],
    })
    await assert.rejects(
      () => named.includes.get('stones')!.load(),
      "Twig: include names 'stones' with pivot columns, but items of Pebble have a field 'pivot' already; give it another serializeAs"
    )
  })

  test('[Q3, P9] a hidden or broken relation, or one with the name of a field, is a ValueError', ({
    assert,
  }) => {
    assert.match(messageOf(Leaf, ['hiddenTwig']), /serializeAs is null/)
    assert.match(messageOf(Leaf, ['clashingTwig']), /same name 'twig_id' in the API as a field/)
    assert.match(messageOf(Leaf, ['colouredTwig']), /same name 'colour' in the API as a field/)
    assert.match(messageOf(Leaf, ['brokenTwig']), /can't be used: .*"missing"/)
  })

  test('[Q3, P4] relations can be named by attribute or API name, in an array or a Set', ({
    assert,
  }) => {
    for (const include of [['leaves'], new Set(['its_leaves'])]) {
      const { includes } = new Resource({ model: Twig, include })
      assert.deepEqual([...includes.keys()], ['its_leaves'])
      assert.isTrue(includes.get('its_leaves')!.isList)
    }
    assert.throws(
      () => crudRouter({ model: Twig, include: 'leaves' } as any),
      /include is 'leaves'/
    )
  })

  test("[Q3] an include uses the resource of the related model's endpoints, also if two models include each other", ({
    assert,
  }) => {
    const at = (model: unknown) =>
      resources.endpoints().find(({ resource }) => resource.model === model)!.resource
    const { resource, isList } = at(Album).includes.get('label')!
    assert.strictEqual(resource, at(Label))
    assert.isFalse(isList)
    assert.strictEqual(resource.includes.get('albums')!.resource, at(Album))
    assert.strictEqual(at(Song).includes.get('album')!.resource, at(Album))
  })

  test('[Q3] a related model without endpoints is loaded together with the model that includes it', ({
    assert,
  }) => {
    const album = resources.all().find(({ model }) => model === Album)!
    const { resource } = album.includes.get('cover')!
    assert.strictEqual(resource.model, Cover)
    assert.isTrue(resource.isLoaded)
    const own = resources.endpoints().find((one) => one.resource.model === Cover)!
    assert.isEmpty(own.routes)
  })

  test('[Q3] the option include declares the relation with the resource of its model', ({
    assert,
  }) => {
    const reels = resources.all().find(({ model }) => model === Reel)!
    assert.deepEqual([...reels.includes.keys()], ['lender'])
    assert.strictEqual(reels.includes.get('lender')!.resource.model, Lender)
  })
})
