import Post from '#models/post'
import User from '#models/user'
import { BaseSeeder } from '@adonisjs/lucid/seeders'
import { DateTime } from 'luxon'

export default class extends BaseSeeder {
  async run() {
    const user = await User.create({
      email: 'jo@example.com',
      password: 'secret-of-jo',
      fullName: 'Jo Doe',
      createdAt: DateTime.fromISO('2026-01-02T03:04:05Z'),
    })
    await Post.createMany(
      ['First', 'Second'].map((title, index) => ({
        authorId: user.id,
        title,
        body: 'Text & <b>more</b>',
        isPublished: index === 0,
        wordPrice: 0.1 + index,
        dueOn: DateTime.fromISO('2026-02-03'),
        createdAt: DateTime.fromISO('2026-01-02T03:04:05Z'),
      }))
    )
  }
}
