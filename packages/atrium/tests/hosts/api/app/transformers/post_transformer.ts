import type Post from '#models/post'
import { BaseTransformer } from '@adonisjs/core/transformers'

export default class PostTransformer extends BaseTransformer<Post> {
  toObject() {
    return this.pick(this.resource, [
      'id',
      'authorId',
      'title',
      'isPublished',
      'wordPrice',
      'dueOn',
    ])
  }
}
